package host

import (
	"errors"
	"math"
	"slices"

	"vkops/tensor"
)

// results is the memory of the results that a recording allocates. A result that is
// freed while the recording goes on gives its memory to later ones: in each replay the
// operators that read it are done before theirs begin.
type results struct {
	rt *Runtime

	// Guarded by rt.mu:
	shares []*share
	left   []*share // without a result since the latest Recording.Run began
	spare  []*share // those that were without one before: no input of the call has them
	done   bool     // the recording is finished: results keep their memory
}

// share is memory that results have in turn. Runtime.mu guards it.
type share struct {
	of      *results
	memory  *Buffer // nobody else has it
	holders int     // the result that has it now, if any, and the recording
}

// begin lets later calls have the memory that is left by now.
func (m *results) begin() {
	m.rt.mu.Lock()
	defer m.rt.mu.Unlock()
	m.spare = append(m.spare, m.left...)
	m.left = nil
}

// take makes the buffer of a result.
func (m *results) take(t tensor.Type) (*Buffer, error) {
	if s := m.fitting(t, 2); s != nil {
		return s.result(t), nil
	}
	memory, err := m.rt.NewBuffer(t)
	if errors.Is(err, ErrOutOfMemory) {
		if s := m.fitting(t, math.MaxInt64); s != nil {
			return s.result(t), nil
		}
	}
	if err != nil {
		return nil, err
	}
	s := &share{of: m, memory: memory, holders: 1}
	m.rt.mu.Lock()
	m.shares = append(m.shares, s)
	m.rt.mu.Unlock()
	return s.result(t), nil
}

// fitting takes the smallest spare memory that is large enough, and no more than some
// times so large: larger results to come would miss it.
func (m *results) fitting(t tensor.Type, times int64) *share {
	n, err := t.Bytes()
	if err != nil {
		return nil
	}
	m.rt.mu.Lock()
	defer m.rt.mu.Unlock()
	best := -1
	for i, s := range m.spare {
		if size := s.memory.bytes; size >= n && size/times <= n && (best < 0 || size < m.spare[best].memory.bytes) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	s := m.spare[best]
	m.spare = slices.Delete(m.spare, best, best+1)
	return s
}

// result is a new result in the memory.
func (s *share) result(t tensor.Type) *Buffer {
	b := s.stage(cloneType(t))
	b.share = s
	s.of.rt.mu.Lock()
	s.holders++
	s.of.rt.mu.Unlock()
	return b
}

// stage is a buffer of a type in the memory, for steps.
func (s *share) stage(t tensor.Type) *Buffer {
	b := &Buffer{rt: s.of.rt, typ: t, dev: deviceMemory{buf: s.memory.dev.buf}}
	b.bytes, _ = t.Bytes() // the memory is large enough
	if on := s.memory.host; on.DType != tensor.Invalid {
		b.host = tensor.Dense{Type: t, Data: on.Data[:b.bytes:b.bytes]}
	}
	return b
}

// leave ends a hold on the memory; rt.mu is held.
func (s *share) leave() {
	s.holders--
	switch {
	case s.holders == 0:
		s.of.rt.backend.release(s.memory)
	case !s.of.done:
		s.of.left = append(s.of.left, s)
	}
}

// finish ends the recording. Its calls get buffers of their own in place of results that
// are freed, which nobody else can use.
func (m *results) finish(calls []call) {
	m.rt.mu.Lock()
	defer m.rt.mu.Unlock()
	m.done, m.left, m.spare = true, nil, nil
	own := map[*Buffer]*Buffer{}
	replace := func(b *Buffer) *Buffer {
		if !b.freed || b.share == nil || b.share.of != m {
			return b
		}
		if own[b] == nil {
			own[b] = b.share.stage(b.typ)
		}
		return own[b]
	}
	for i := range calls {
		c := &calls[i]
		c.out = replace(c.out)
		for k, b := range c.inputs {
			c.inputs[k] = replace(b)
		}
	}
}

// free ends the recording's hold on its memory.
func (m *results) free() {
	m.rt.mu.Lock()
	defer m.rt.mu.Unlock()
	if m.rt.closed {
		return
	}
	for _, s := range m.shares {
		s.leave()
	}
	m.shares = nil
}
