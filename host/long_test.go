package host

import "os"

// longTests says that tests may take minutes.
func longTests() bool { return os.Getenv("VKOPS_TEST_LONG") == "1" }
