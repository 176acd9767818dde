// Command vkops runs the operators CumSum, LogCumSumExp, Log1p, LogSoftmax,
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss on files, checks a device
// against the CPU twin, and measures it. See "vkops help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process whatever it does
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
