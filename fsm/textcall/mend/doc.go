// Package mend corrects what small models get wrong in JSON, and in calls written as Python writes
// them, where it can mean only one thing (INF-25).
//
// [JSON] mends single mistakes from left to right, none of which has two meanings. In a text that holds the
// quotes that enclose it, nothing says at first which of them ends it: [Quotes] tries each that could, has
// the outcomes judged, and takes the one that explains the most.
package mend
