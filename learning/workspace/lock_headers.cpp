#include "learning/workspace/lock_headers.h"
