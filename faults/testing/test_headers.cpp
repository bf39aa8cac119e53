#include "faults/testing/test_headers.h"
