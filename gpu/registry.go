package gpu

import "sync"

// registry is the set of a device's live objects of one kind, so that Close can
// destroy those that were left.
type registry[T comparable] struct {
	mu   sync.Mutex
	live map[T]struct{}
}

func (r *registry[T]) add(object T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live == nil {
		r.live = map[T]struct{}{}
	}
	r.live[object] = struct{}{}
}

func (r *registry[T]) remove(object T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, object)
}

// take empties the set and returns what it held.
func (r *registry[T]) take() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	objects := make([]T, 0, len(r.live))
	for object := range r.live {
		objects = append(objects, object)
	}
	r.live = nil
	return objects
}
