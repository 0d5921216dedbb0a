// Package cron says when the slots of a schedule are (HND-42, HND-43): by an interval, at
// one time, or by the five fields of a crontab in a zone of local time (HND-48). Times are
// in milliseconds; it uses neither a clock nor a zone database.
//
// [Next] and, where the clock was set back, [Back] alone define what an [fsm.ArmSchedule]
// means, for the machine that checks it and for those that perform it.
package cron
