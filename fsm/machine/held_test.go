package machine_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// The handles are one slice, which moves when one is added or removed. So no code may hold
// a pointer into it, or the slice itself, across a call that may do either. Code that is
// wrong in each way shows that this test finds it.
func TestNobodyHoldsAHandleOverACallThatMayAddOrRemoveOne(t *testing.T) {
	const wrongs = "testdata/held"
	x := studied(t, ".", "./"+wrongs, "../state", "../queue")
	found := map[string]bool{}
	for _, problem := range x.problems() {
		if strings.Contains(problem.String(), wrongs) {
			found[problem.in.Name()] = true
		} else {
			t.Error(problem)
		}
	}
	for _, f := range x.funcs {
		if at := f.Prog.Fset.Position(f.Pos()); f.Parent() != nil || !strings.Contains(at.Filename, wrongs) {
			continue
		}
		if wrong := strings.HasPrefix(f.Name(), "wrong"); wrong != found[f.Name()] {
			t.Errorf("%s: found: %v", f.Name(), !wrong)
		}
	}
}

// study finds where packages hold a pointer too long, in their static single assignment form.
type study struct {
	funcs   []*ssa.Function // with a body
	handle  types.Type
	within  []types.Type // the types of a handle, and of its parts that it holds by value
	changes map[*ssa.Function]bool
}

// problem is what is wrong at an instruction.
type problem struct {
	in   *ssa.Function
	at   ssa.Instruction
	what string
}

func (p problem) String() string {
	return fmt.Sprintf("%v: %s %s", p.in.Prog.Fset.Position(p.at.Pos()), p.in.Name(), p.what)
}

func studied(t *testing.T, patterns ...string) *study {
	t.Helper()
	load := &packages.Config{Mode: packages.LoadSyntax}
	pkgs, err := packages.Load(load, patterns...)
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("cannot load: ", err)
	}
	program, _ := ssautil.Packages(pkgs, ssa.InstantiateGenerics)
	program.Build()
	x := &study{changes: map[*ssa.Function]bool{}}
	for f := range ssautil.AllFunctions(program) {
		if len(f.Blocks) > 0 {
			x.funcs = append(x.funcs, f)
		}
	}
	for _, p := range pkgs {
		if p.PkgPath == "shelly/fsm/state" {
			x.handle = p.Types.Scope().Lookup("Handle").Type()
		}
	}
	x.addType(x.handle)
	x.findChanges()
	return x
}

// addType records a type that a pointer into a handle may point to.
func (x *study) addType(t types.Type) {
	x.within = append(x.within, t)
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			x.addType(f.Type())
		}
	}
}

// findChanges finds the functions that may change the slice: those that do more with the
// field than read it, or that call such a function.
func (x *study) findChanges() {
	for again := true; again; {
		again = false
		for _, f := range x.funcs {
			if !x.changes[f] && slices.ContainsFunc(instructions(f), x.mayChange) {
				x.changes[f], again = true, true
			}
		}
	}
}

func instructions(f *ssa.Function) (all []ssa.Instruction) {
	for _, b := range f.Blocks {
		all = append(all, b.Instrs...)
	}
	return all
}

func (x *study) mayChange(at ssa.Instruction) bool {
	switch at := at.(type) {
	case *ssa.FieldAddr:
		return x.isSlice(at) && slices.ContainsFunc(*at.Referrers(), func(use ssa.Instruction) bool {
			_, reads := use.(*ssa.UnOp)
			return !reads
		})
	case *ssa.Store:
		return hasHandles(at.Addr.Type())
	case ssa.CallInstruction:
		return x.callChanges(at.Common())
	}
	return false
}

// isSlice reports whether v is the address of the field that is the slice.
func (x *study) isSlice(v ssa.Value) bool {
	_, field := v.(*ssa.FieldAddr)
	return field && types.Identical(v.Type(), types.NewPointer(types.NewSlice(x.handle)))
}

// callChanges reports whether a call may change the slice. A call of a value may call any
// function of its type. A function of another package may call what it is given, and do
// anything to a machine or a snapshot.
func (x *study) callChanges(call *ssa.CallCommon) bool {
	callee := call.StaticCallee()
	switch _, builtin := call.Value.(*ssa.Builtin); {
	case builtin:
		return false
	case callee != nil && len(callee.Blocks) > 0:
		return x.changes[callee]
	case callee == nil && !call.IsInvoke():
		return x.typeChanges(call.Value.Type())
	case call.IsInvoke() && slices.ContainsFunc(x.funcs, func(f *ssa.Function) bool { return x.changes[f] && f.Name() == call.Method.Name() }):
		return true
	}
	return slices.ContainsFunc(call.Args, func(arg ssa.Value) bool {
		return hasHandles(arg.Type()) || x.typeChanges(arg.Type())
	})
}

// hasHandles reports whether t is a pointer to a machine or a snapshot.
func hasHandles(t types.Type) bool {
	pointer, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := pointer.Elem().(*types.Named)
	return ok && slices.Contains([]string{"Machine", "machine", "Snapshot"}, named.Obj().Name())
}

// typeChanges reports whether a function of the type may change the slice.
func (x *study) typeChanges(t types.Type) bool {
	signature, ok := t.Underlying().(*types.Signature)
	return ok && slices.ContainsFunc(x.funcs, func(f *ssa.Function) bool {
		return x.changes[f] && f.Signature.Recv() == nil && types.Identical(f.Signature, signature)
	})
}

func (x *study) problems() (all []problem) {
	for _, f := range x.funcs {
		held := x.held(f)
		for _, at := range instructions(f) {
			if what := x.kept(at, held); what != "" {
				all = append(all, problem{f, at, what})
			}
			if _, calls := at.(ssa.CallInstruction); !calls || !x.mayChange(at) {
				continue
			}
			for v := range held {
				if use := usedAfter(at, v); use != nil {
					all = append(all, problem{f, use, fmt.Sprintf("uses %s, which it had before %s", v.Name(), at)})
				}
			}
		}
	}
	return all
}

// held returns the values of a function that may be the slice or point into it.
func (x *study) held(f *ssa.Function) map[ssa.Value]bool {
	held := map[ssa.Value]bool{}
	for _, p := range f.Params {
		if x.pointsWithin(p.Type()) {
			held[p] = true
		}
	}
	for n := -1; n != len(held); {
		n = len(held)
		for _, at := range instructions(f) {
			if v, ok := at.(ssa.Value); ok && x.isHeld(v, held) {
				held[v] = true
			}
		}
	}
	return held
}

func (x *study) isHeld(v ssa.Value, held map[ssa.Value]bool) bool {
	switch v := v.(type) {
	case *ssa.Alloc:
		return false // a variable
	case *ssa.FieldAddr:
		return held[v.X]
	case *ssa.IndexAddr:
		return held[v.X]
	case *ssa.Slice:
		return held[v.X]
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return held[e] })
	}
	return x.pointsWithin(v.Type())
}

func (x *study) pointsWithin(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return types.Identical(t.Elem(), x.handle)
	case *types.Pointer:
		return slices.ContainsFunc(x.within, func(w types.Type) bool { return types.Identical(w, t.Elem()) })
	}
	return false
}

// kept returns what is wrong if a pointer into the handles is stored where it may outlive
// any call: in a variable of a closure, or in memory.
func (x *study) kept(at ssa.Instruction, held map[ssa.Value]bool) string {
	switch at := at.(type) {
	case *ssa.Store:
		if held[at.Val] && !x.isSlice(at.Addr) {
			return "keeps a pointer into the handles"
		}
	case *ssa.MakeInterface:
		if held[at.X] {
			return "hides a pointer into the handles"
		}
	}
	return ""
}

// usedAfter returns an instruction after a call that uses a value from before it; nil if there is
// none.
func usedAfter(call ssa.Instruction, v ssa.Value) ssa.Instruction {
	seen := map[*ssa.BasicBlock]bool{}
	made, _ := v.(ssa.Instruction) // nil if v is a parameter
	var walk func(b *ssa.BasicBlock, rest []ssa.Instruction) ssa.Instruction
	walk = func(b *ssa.BasicBlock, rest []ssa.Instruction) ssa.Instruction {
		for _, at := range rest {
			if at == made {
				return nil
			}
			if _, phi := at.(*ssa.Phi); phi {
				continue // by the edge that leads here
			}
			if slices.ContainsFunc(at.Operands(nil), func(o *ssa.Value) bool { return *o == v }) {
				return at
			}
		}
		for _, next := range b.Succs {
			for _, at := range next.Instrs {
				if phi, ok := at.(*ssa.Phi); ok && phi.Edges[slices.Index(next.Preds, b)] == v {
					return phi
				}
			}
			if seen[next] {
				continue
			}
			seen[next] = true
			if use := walk(next, next.Instrs); use != nil {
				return use
			}
		}
		return nil
	}
	b := call.Block()
	return walk(b, b.Instrs[slices.Index(b.Instrs, call)+1:])
}
