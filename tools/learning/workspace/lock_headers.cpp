#include "tools/learning/workspace/lock_headers.h"
