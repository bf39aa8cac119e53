#include "stage4_lua_release/lock.h"
