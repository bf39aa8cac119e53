#include "stage3_set_nx_px/lock.h"
