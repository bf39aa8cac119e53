#include "learning/lock_headers.h"
