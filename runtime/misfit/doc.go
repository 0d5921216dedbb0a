// Package misfit says in the words of JSON why a value does not fit what it is read into.
//
//	if err := json.Unmarshal(answer, &v); err != nil {
//		return misfit.Worded(err) // "port" is a text, not a whole number
//	}
package misfit
