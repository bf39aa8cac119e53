#include "faults/client/client_headers.h"
