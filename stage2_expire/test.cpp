#include "stage2_expire/lock.h"
