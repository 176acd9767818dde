package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/tensor"
)

// completions adds what a shell offers for the values of flags.
func completions(cmd *cobra.Command) {
	fixed := map[string][]string{
		"op": operatorNames(), "dtype": dtypeNames(), "strategy": strategyNames(), "times": timeNames(), "preset": {presetTargets},
		"reduction": {tensor.Mean.String(), tensor.Sum.String(), tensor.None.String()},
		"target":    {tensor.I32.String(), tensor.I64.String()},
	}
	for name, values := range fixed {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			complete := listed(values)
			if cmd.Name() == "run" || cmd.HasParent() && cmd.Parent().Name() == "run" && name == "dtype" {
				complete = cobra.FixedCompletions([]string{tensor.BF16.String()}, cobra.ShellCompDirectiveNoFileComp)
			}
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails only where it is registered twice
		}
	}
	for name, endings := range map[string][]string{
		"input": {"npy", "npz", "pb"}, "output": {"npy", "npz", "pb"}, "plot": {"svg"}, "from": {"json", "jsonl"},
	} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt))
		}
	}
	for _, sub := range cmd.Commands() {
		completions(sub)
	}
}

// listed completes the last value of a list with commas.
func listed(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var list []string
		for _, v := range values {
			if strings.HasPrefix(before+v, typed) {
				list = append(list, before+v)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeDevice offers the devices that there are, with their names.
func completeDevice(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	list := []string{"cpu\tthe twin in Go"}
	infos, err := host.Devices()
	if err != nil {
		infos = nil // the twin is left
	}
	for _, info := range infos {
		list = append(list, strconv.Itoa(info.Index)+"\t"+info.Name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
