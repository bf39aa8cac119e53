#include "learning/copies/lock_headers.h"
