#include "stage5_watchdog/lock.h"
