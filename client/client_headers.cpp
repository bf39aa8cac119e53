#include "client/client_headers.h"
