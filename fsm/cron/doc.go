// Package cron says when the slots of a schedule are (HND-42, HND-43): by an interval, at one
// time, or by the five fields of a crontab in a zone of local time (HND-48). Times are counted in
// milliseconds; no clock and no zone database is near.
//
// [Next] is the one meaning of an [fsm.ArmSchedule], for the machine that checks it and for
// whoever performs it.
package cron
