package attributes

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func TestTextAndJSON(t *testing.T) {
	ignored := int64(-100)
	for _, c := range []struct {
		op         tensor.Op
		text, json string
	}{
		{tensor.CumSum{Axis: -1}, "cumsum axis=-1", `{"axis":-1,"exclusive":false,"reverse":false}`},
		{tensor.CumSum{Exclusive: true, Reverse: true}, "cumsum axis=0 exclusive reverse", `{"axis":0,"exclusive":true,"reverse":true}`},
		{tensor.LogCumSumExp{Axis: 2}, "logcumsumexp axis=2", `{"axis":2}`},
		{tensor.Log1p{}, "log1p", `{}`},
		{tensor.NLL{}, "nll reduction=mean", `{"reduction":"mean"}`},
		{tensor.NLL{Reduction: tensor.None, IgnoreIndex: &ignored}, "nll reduction=none ignore_index=-100", `{"ignore_index":-100,"reduction":"none"}`},
	} {
		require.Equal(t, c.text, String(c.op))
		got, err := json.Marshal(Of(c.op))
		require.NoError(t, err)
		require.Equal(t, c.json, string(got))
	}
}
