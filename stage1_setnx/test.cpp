#include "stage1_setnx/lock.h"
