package fsm

// Word names a text that shelly itself words, for a model or for a person: a
// notice, a stand-in for a result, a heading, the form of a list. The texts are
// not code but data, [Words], which a Boot brings as it brings the limits, so
// that a better sentence changes no recorded decision (CFG-14).
type Word int

// The words, by who reads them.
const (
	// The results of calls that do not run, or end without one.
	WordError Word = iota
	WordNotRun
	WordNotRunRefused
	WordNotRunRefusedBy
	WordNotRunBecause
	WordNotRunByBecause
	WordNotRunUnapproved
	WordNotRunUnattended
	WordNotRunCancelled
	WordNotRunRounds
	WordNotRunCalls
	WordNotRunPerAnswer
	WordUnknownOutcome
	WordNeverBegun
	WordUnknownTool
	WordToolGone
	WordOfferHelp
	WordOfferLine
	WordOfferNames
	WordOfferServer
	WordOfferCount
	WordOfferMore
	WordHelpTool
	WordHelpNoSchema
	WordHelpSchema
	WordHelpNothing
	WordHelpNear
	WordNamelessTool
	WordOldResult
	WordShortened
	WordKeptShortened
	WordArgumentsShortened

	// What the builtin tools answer.
	WordArgumentsNoJSON
	WordArgumentsNoFit
	WordMissingArgument
	WordArgumentTwice
	WordMessageSent
	WordMessageNowhere
	WordMessageNobody
	WordSkillUnknown
	WordSkillUnloaded
	WordSkillLoaded
	WordSkillText
	WordSkillBroken
	WordSkillName
	WordReferenceName
	WordTextRead
	WordTextReadEnd
	WordTextGone
	WordTextUnknown
	WordTextNone
	WordTextFrom
	WordTextUnread
	WordSpawned
	WordSpawnFull
	WordCronAction
	WordCronAdded
	WordCronAtUnread
	WordCronAtPassed
	WordCronTimes
	WordCronFull
	WordCronFields
	WordCronField
	WordCronNever
	WordCronNone
	WordCronEvery
	WordCronAt
	WordCronExpr
	WordCronLine
	WordCronRemoved
	WordCronUnknown
	WordCronZone
	WordCronPaused
	WordCronSame

	// What the model reads beside results.
	WordRecalled
	WordRecalledEntry
	WordRecalledNothing
	WordRecallBroken
	WordActionAsText
	WordBadCall
	WordCallUnread
	WordCallUntaken
	WordEarlierSummary
	WordSubagentDone
	WordSubagentFailed
	WordEvent
	WordEventSubject
	WordEventDetail
	WordEventJoined
	WordEventDo
	WordEventUnhandled
	WordPostponed
	WordBeat
	WordGreeting
	WordEventTo
	WordSubagentInput
	WordTimedInput
	WordScheduledInput
	WordScheduledRecord
	WordSaidBy
	WordSaidElsewhere
	WordImageInput
	WordNoAnswer

	// The system prompt and what a consolidation is shown.
	WordSection
	WordToolLine
	WordSkillLine
	WordSkillListed
	WordSkillsMore
	WordSkillMarkLoaded
	WordSkillMarkUnloaded
	WordSkillTitle
	WordReferenceTitle
	WordMemoryFile
	WordOverflow
	WordOverflowSized
	WordTranscript
	WordTranscriptCall
	WordTranscriptTools

	// What is kept in memory and in files.
	WordExtractAsked
	WordExtractAnswered
	WordExchange
	WordNotConsolidated
	WordStamped

	// What a person reads.
	WordTimedOut
	WordTimedOutDone
	WordDoneNothing
	WordDoneCalls
	WordDoneSaid
	WordShuttingDown
	WordCancelled
	WordBusy
	WordBrainFailed
	WordBrainError
	WordNoProgress
	WordEmptyAnswer
	WordActionAnswer
	WordUntakenAnswer
	WordCutAnswer
	WordRequestTooLong
	WordUnthought
	WordNotSummedUp
	WordNotConsolidatedNow
	WordMemoryReplaced
	WordUpkeepUseless
	WordUpkeepLate
	WordNextInput
	WordOverRounds
	WordOverIterations
	WordOverCalls
	WordOverRepeats
	WordSessionUnread
	WordSessionUnsaved
	WordSessionChanged
	WordSessionDoubtful
	WordMemoryUnstored
	WordNewSession
	WordHelp
	WordStatus
	WordStopRefused
	WordStopNothing
	WordStopDone

	wordCount
)

// wording is one entry of the dictionary. First is the text of the first edition, which is
// frozen: a Boot that brings none, such as an older build's, has it. Now is the text that a
// new Boot brings, if it is another. {name} stands for an argument; gains lists those that
// the first edition did not get.
type wording struct{ name, first, now, gains string }

// dictionary has every text of the machine, by Word.
var dictionary = [wordCount]wording{
	WordError:            {name: "error", first: "error: {reason}"},
	WordNotRun:           {name: "not_run", first: "not run: {reason}"},
	WordNotRunRefused:    {name: "not_run_refused", first: "not run: a person refused it"},
	WordNotRunRefusedBy:  {name: "not_run_refused_by", first: "not run: {person} refused it"},
	WordNotRunBecause:    {name: "not_run_because", first: "not run: a person refused it, and says: {reason}"},
	WordNotRunByBecause:  {name: "not_run_by_because", first: "not run: {person} refused it, and says: {reason}"},
	WordNotRunUnapproved: {name: "not_run_unapproved", first: "not run: no person approved it in time"},
	WordNotRunUnattended: {name: "not_run_unattended", first: "not run: it needs a person's approval, and there is none behind this", now: "not run: it needs a person's approval, and nobody is there to give it"},
	WordNotRunCancelled:  {name: "not_run_cancelled", first: "cancelled, not run"},
	WordNotRunRounds:     {name: "not_run_rounds", first: "not run: limit (max_tool_rounds)"},
	WordNotRunCalls:      {name: "not_run_calls", first: "not run: limit of {limit} calls (max_tool_calls)"},
	WordNotRunPerAnswer:  {name: "not_run_per_answer", first: "not run: at most {limit} calls of one answer are (max_calls_per_answer)", now: "not run: at most {limit} calls of one answer are run (max_calls_per_answer)"},
	WordUnknownOutcome:   {name: "unknown_outcome", first: "interrupted, outcome unknown: check before repeating"},
	WordNeverBegun:       {name: "never_begun", first: "interrupted before it began: nothing happened"},
	WordUnknownTool:      {name: "unknown_tool", first: "there is no tool {tool}; the tools are: {tools}"},
	WordToolGone:         {name: "tool_gone", first: "the tool {tool} is no longer offered: what it belongs to is not there now"},
	WordOfferHelp:        {name: "offer_help", first: "{about}\n{tools}"},
	WordOfferLine:        {name: "offer_line", first: "{tool}: {about}"},
	WordOfferNames:       {name: "offer_names", first: "{server}: {tools}"},
	WordOfferServer:      {name: "offer_server", first: "{server}: {count} tools, such as {tools}"},
	WordOfferCount:       {name: "offer_count", first: "{server}: {count} tools"},
	WordOfferMore:        {name: "offer_more", first: "and {count} more: search for them"},
	WordHelpTool:         {name: "help_tool", first: "{tool}: {about}\nIts arguments, as a JSON schema: {schema}\nCall it as any other tool."},
	WordHelpNoSchema:     {name: "help_no_schema", first: "none"},
	WordHelpSchema:       {name: "help_schema", first: "{reason}\nThe arguments of {tool}, as a JSON schema: {schema}"},
	WordHelpNothing:      {name: "help_nothing", first: "nothing is found for {name}; the servers are: {servers}"},
	WordHelpNear:         {name: "help_near", first: "nothing is found for {name}; did you mean {near}?"},
	WordNamelessTool:     {name: "nameless_tool", first: "a tool call without a name; the tools are: {tools}"},
	WordOldResult:        {name: "old_result", first: "[old result of {bytes} bytes] {start}"},

	WordShortened:          {name: "shortened", first: "{head}\n[… {bytes} bytes are left out here …]\n{tail}"},
	WordKeptShortened:      {name: "kept_shortened", first: "{head}\n[… bytes {from} to {to} of {bytes}, about {tokens} tokens, are left out here; to read on: read_more with result {result}, from {from} …]\n{tail}"},
	WordArgumentsShortened: {name: "arguments_shortened", first: "{bytes} bytes"},

	WordArgumentsNoJSON: {name: "arguments_no_json", first: "the arguments are not the JSON object that is wanted: they are not JSON", now: "the arguments are not valid JSON: send one JSON object"},
	WordArgumentsNoFit:  {name: "arguments_no_fit", first: "the arguments are not the JSON object that is wanted: they do not fit the schema", now: "the arguments do not fit the tool's schema"},
	WordMissingArgument: {name: "missing_argument", first: "missing argument: {argument}"},
	WordArgumentTwice:   {name: "argument_twice", first: "the argument {argument} is given twice: give it once"},
	WordMessageSent:     {name: "message_sent", first: "sent to {chat}"},
	WordMessageNowhere:  {name: "message_nowhere", first: "this did not come from a chat: say which channel and chat_id", now: "this request did not come from a chat: give channel and chat_id"},
	WordMessageNobody:   {name: "message_nobody", first: "not sent: there is no channel {channel}; the channels are: {channels}"},
	WordSkillUnknown:    {name: "skill_unknown", first: "there is no skill {skill}; the skills are: {skills}"},
	WordSkillUnloaded:   {name: "skill_unloaded", first: "skill {skill} is not loaded; load it with load_skill first"},
	WordSkillLoaded:     {name: "skill_loaded", first: "{what} loaded."},
	WordSkillText:       {name: "skill_text", first: "{what} loaded.\n\n{text}"},
	WordSkillBroken:     {name: "skill_broken", first: "error: {what} could not be loaded: {reason}"},
	WordSkillName:       {name: "skill_name", first: "Skill '{skill}'"},
	WordReferenceName:   {name: "reference_name", first: "Reference '{reference}' of skill '{skill}'"},
	WordTextRead:        {name: "text_read", first: "{text}\n[bytes {from} to {to} of {bytes} of result {result}; to read on: read_more with result {result}, from {to}]"},
	WordTextReadEnd:     {name: "text_read_end", first: "{text}\n[bytes {from} to {to} of {bytes} of result {result}: its end]"},
	WordTextGone:        {name: "text_gone", first: "result {result} is no longer kept; call the tool again if you still need it"},
	WordTextUnknown:     {name: "text_unknown", first: "there is no result {result}; those that are kept: {results}"},
	WordTextNone:        {name: "text_none", first: "there is no result {result}: none is kept"},
	WordTextFrom:        {name: "text_from", first: "from is a byte of result {result}, from 0 to {last}"},
	WordTextUnread:      {name: "text_unread", first: "result {result} could not be read: {reason}"},
	WordSpawned:         {name: "spawned", first: "Subagent '{label}' started ({subagent}). Its result will be reported here when it is done."},
	WordSpawnFull:       {name: "spawn_full", first: "not started: {subagents} subagents are at work already (max_subagents)", now: "not started: {subagents} subagents are already at work (max_subagents)"},
	WordCronAction:      {name: "cron_action", first: "action is add, list or remove, not {action}"},
	WordCronAdded:       {name: "cron_added", first: "schedule {schedule} added", now: "schedule {schedule} added; it runs next at {next}", gains: "{next}"},
	WordCronAtUnread:    {name: "cron_at_unread", first: "at is no time like 2026-01-31T09:00:00Z: {at}", now: "at is not a time such as 20m, 17:30, tomorrow 9:00 or 2026-01-31T09:00: {at}"},
	WordCronAtPassed:    {name: "cron_at_passed", first: "not added: at has passed, it is {now} in UTC now", now: "not added: at is in the past; it is {now}"},
	WordCronTimes:       {name: "cron_times", first: "give one of every_seconds, cron_expr and at", now: "give exactly one of every_seconds, cron_expr and at"},
	WordCronFull:        {name: "cron_full", first: "not added: there are {schedules} schedules already (max_schedules)", now: "not added: there are already {schedules} schedules (max_schedules)"},
	WordCronFields:      {name: "cron_fields", first: "not added: cron_expr has five fields: minute, hour, day, month, weekday", now: "not added: cron_expr needs five fields: minute, hour, day, month, weekday"},
	WordCronField: {name: "cron_field", first: "not added: cron_expr has as its {field} numbers from {low} to {top}, ranges, steps and lists of them, or *, " +
		"and not {text}", now: "not added: the {field} of cron_expr takes numbers from {low} to {top}, ranges, steps and lists of them, or *, but not {text}"},
	WordCronNever:   {name: "cron_never", first: "not added: cron_expr names no time that will come", now: "not added: cron_expr never comes due"},
	WordCronNone:    {name: "cron_none", first: "There are no schedules."},
	WordCronEvery:   {name: "cron_every", first: "every {every}"},
	WordCronAt:      {name: "cron_at", first: "at {at} (UTC)", now: "once"},
	WordCronExpr:    {name: "cron_expr", first: "cron {expr} (UTC)", now: "cron {expr}"},
	WordCronLine:    {name: "cron_line", first: "{schedule}: {when}: {text}", now: "{schedule}: {when}, next at {next}: {text}", gains: "{next}"},
	WordCronRemoved: {name: "cron_removed", first: "schedule {schedule} removed"},
	WordCronUnknown: {name: "cron_unknown", first: "there is no schedule {schedule}"},
	WordCronPaused:  {name: "cron_paused", first: "{schedule}: {when}, paused: {text}"},
	WordCronSame:    {name: "cron_same", first: "schedule {schedule} is {state} already"},
	WordCronZone: {name: "cron_zone", first: "not added: zone {zone} is not known here; known are {zones}, and offsets such as +02:00",
		now: "not added: zone {zone} is not known here; use one of {zones}, or an offset such as +02:00; about.zones adds others"},

	WordRecalled:        {name: "recalled", first: "You needed: {need}\nYour memory holds:\n{entries}Go on with the input."},
	WordRecalledEntry:   {name: "recalled_entry", first: "- {summary}\n"},
	WordRecalledNothing: {name: "recalled_nothing", first: "You needed: {need}\nYour memory holds nothing about it. Answer directly or act with tools."},
	WordRecallBroken:    {name: "recall_broken", first: "You needed: {need}\nYour memory could not be read ({reason}). Answer directly or act with tools."},
	WordActionAsText: {name: "action_as_text", first: "Your last answer describes a tool call, and that runs no tool. " +
		"Call the tool itself, or answer the person in words.", now: "Your last answer describes a tool call, which runs nothing. Call the tool itself, or answer the person in words."},
	WordBadCall: {name: "bad_call", first: "Your last tool call could not be read, so nothing was run ({reason}). " +
		"Call the tool again, with arguments that are one valid JSON object, or answer the person in words."},
	WordCallUnread: {name: "call_unread", first: "Your last answer looks like a tool call, but it could not be read as one, and nothing has run. " +
		"Write the whole call again in the form that you were told, and nothing else, or answer in plain words."},
	WordCallUntaken: {name: "call_untaken", first: "Your last answer is a tool call written as text, and that runs no tool. " +
		"Call the tool itself, or answer in plain words."},
	WordEarlierSummary: {name: "earlier_summary", first: "[Earlier conversation summary]\n{summary}"},
	WordSubagentDone: {name: "subagent_done", first: "Subagent '{label}' has finished.\n\nTask: {task}\n\nResult:\n{result}\n\n" +
		"Tell the person about it in a sentence or two."},
	WordSubagentFailed: {name: "subagent_failed", first: "Subagent '{label}' has failed.\n\nTask: {task}\n\nError: {reason}\n\n" +
		"Tell the person about it in a sentence or two."},
	WordEvent:        {name: "event", first: "System event from {source}: {event}{subject}.{detail}"},
	WordEventSubject: {name: "event_subject", first: " ({subject})"},
	WordEventDetail:  {name: "event_detail", first: " {detail}"},
	WordEventJoined:  {name: "event_joined", first: "{event} ({times} times since the first.)"},
	WordBeat: {name: "beat", first: "It is {time}. This is your heartbeat; nobody has asked anything. Look after this:\n\n{do}\n\n" +
		"Your answer is sent to the person as a message. If there is nothing that they should know, answer {nothing} and no more."},
	WordGreeting: {name: "greeting", first: "It is {time}. This is your heartbeat; the person has not written for {idle}. If there is something worth saying, " +
		"such as a question that stayed open, a thing that you were to remind them of, or a friendly word at this time of the day, write it in one or two sentences: " +
		"it is sent to them as a message. If not, answer {nothing} and no more."},
	WordEventDo:         {name: "event_do", first: "{event}\n\nThis is what to do about it: {do}"},
	WordEventUnhandled:  {name: "event_unhandled", first: "{event}\n\nThis event was not handled: {reason}"},
	WordPostponed:       {name: "postponed", first: "{what}\n\nThis could not be done yet: {reason}. It is tried again later."},
	WordEventTo:         {name: "event_to", first: "{event}\n\nYour answer is sent to the person as a message. If there is nothing that they should know, answer {nothing} and no more."},
	WordTimedInput:      {name: "timed_input", first: "[{time}] {text}"},
	WordScheduledInput:  {name: "scheduled_input", first: "[{schedule} is due. Nobody has asked just now. Your answer is sent to the person as a message.] {text}"},
	WordScheduledRecord: {name: "scheduled_record", first: "[{schedule} is due] {text}"},
	WordSaidBy:          {name: "said_by", first: "[{time}] [{from}, not the person] {about}"},
	WordSaidElsewhere:   {name: "said_elsewhere", first: "[{time}] [This was sent to the person from outside this conversation.]"},
	WordSubagentInput:   {name: "subagent_input", first: "[System: subagent] {text}"},
	WordImageInput:      {name: "image_input", first: "[image]\n{text}"},
	WordNoAnswer:        {name: "no_answer", first: "[no answer: {reason}]"},

	WordSection:           {name: "section", first: "\n\n## {title}\n\n"},
	WordToolLine:          {name: "tool_line", first: "- {tool}: {description}"},
	WordSkillLine:         {name: "skill_line", first: "- {mark} {skill}: {summary}"},
	WordSkillListed:       {name: "skill_listed", first: "- {skill}: {summary}"},
	WordSkillsMore:        {name: "skills_more", first: "{skills} and {count} more; load_skill knows them too"},
	WordSkillMarkLoaded:   {name: "skill_mark_loaded", first: "[✓]"},
	WordSkillMarkUnloaded: {name: "skill_mark_unloaded", first: "[○]"},
	WordSkillTitle:        {name: "skill_title", first: "### Skill: {skill}\n\n{text}\n"},
	WordReferenceTitle:    {name: "reference_title", first: "### Reference: {skill}/{reference}\n\n{text}\n"},
	WordMemoryFile:        {name: "memory_file", first: "MEMORY.md holds:\n\n{text}"},
	WordOverflow:          {name: "overflow", first: "{ask}\n\n## MEMORY.md\n\n{memory}\n\n## Conversation\n{conversation}"},
	WordOverflowSized:     {name: "overflow_sized", first: "{ask}\nYour whole answer has at most {words} words.\n\n## MEMORY.md\n\n{memory}\n\n## Conversation\n{conversation}"},
	WordTranscript:        {name: "transcript", first: "\n[{role}] {text}"},
	WordTranscriptCall:    {name: "transcript_call", first: "\n[{role}] calls {tool} {args}"},
	WordTranscriptTools:   {name: "transcript_tools", first: " (tools: {tools})"},

	WordExtractAsked:    {name: "extract_asked", first: "Asked: {input}"},
	WordExtractAnswered: {name: "extract_answered", first: "Answered: {answer}"},
	WordExchange:        {name: "exchange", first: "Input: {input}\nAnswer: {answer}"},
	WordNotConsolidated: {name: "not_consolidated", first: "Not consolidated:{conversation}"},
	WordStamped:         {name: "stamped", first: "[{date}] {entry}"},

	WordTimedOut:      {name: "timed_out", first: "timed out after {after}"},
	WordTimedOutDone:  {name: "timed_out_done", first: "{why} (limits.{setting}). Done so far: {done}. Say \"continue\" to go on."},
	WordDoneNothing:   {name: "done_nothing", first: "nothing"},
	WordDoneCalls:     {name: "done_calls", first: "tool calls: {calls} ({tools})"},
	WordDoneSaid:      {name: "done_said", first: "; the model said: {said}"},
	WordShuttingDown:  {name: "shutting_down", first: "shutting down"},
	WordCancelled:     {name: "cancelled", first: "cancelled"},
	WordBusy:          {name: "busy", first: "busy: {waiting} wait already (max_queue)", now: "busy: {waiting} requests are already waiting (max_queue)"},
	WordBrainFailed:   {name: "brain_failed", first: "{class}: {reason}"},
	WordBrainError:    {name: "brain_error", first: "error: {reason}", now: "{reason}"}, // the class error
	WordNoProgress:    {name: "no_progress", first: "the model has made no progress for {after} ({setting})"},
	WordEmptyAnswer:   {name: "empty_answer", first: "the model gave an empty answer"},
	WordActionAnswer:  {name: "action_answer", first: "the model wrote tool calls as text that cannot be run"},
	WordUntakenAnswer: {name: "untaken_answer", first: "the model writes its tool calls as text, although it can call tools: set brain.tools to described, or take another model"},
	WordCutAnswer:     {name: "cut_answer", first: "the model's answer was cut at its token limit (max_tokens)"},
	WordRequestTooLong: {name: "request_too_long", first: "the request is too long for the model's window: with the system prompt and the tools it has about {tokens} tokens, " +
		"and {room} of {window} are left for them (context_tokens, answer_percent); shorten it, or give the text as a file"},
	WordUnthought:   {name: "unthought", first: "[answered without thinking: the thinking was longer than {tokens} tokens (think_percent)]"},
	WordNotSummedUp: {name: "not_summed_up", first: "no summary was made: {reason}"},
	WordNotConsolidatedNow: {name: "not_consolidated_now", first: "the session's old messages were not consolidated into memory: {reason}; they stay, and the next turn tries again",
		now: "the session's old messages were not consolidated into memory: {reason}; they are kept, and the next consolidation takes them"},
	WordUpkeepUseless:   {name: "upkeep_useless", first: "the model's answer is not what was asked for"},
	WordUpkeepLate:      {name: "upkeep_late", first: "it took too long (compact_timeout)"},
	WordNextInput:       {name: "next_input", first: "..."},
	WordMemoryReplaced:  {name: "memory_replaced", first: "MEMORY.md as it was, too long for the window:\n{memory}"},
	WordOverRounds:      {name: "over_rounds", first: "the model still asked for tools after {rounds} rounds (max_tool_rounds)"},
	WordOverIterations:  {name: "over_iterations", first: "the model was not done after {limit} iterations (max_iterations)"},
	WordOverCalls:       {name: "over_calls", first: "the model was not done after {limit} tool calls (max_tool_calls)"},
	WordOverRepeats:     {name: "over_repeats", first: "the model repeats the same calls with the same results (max_repeats)"},
	WordSessionUnread:   {name: "session_unread", first: "the session could not be read: {reason}"},
	WordSessionUnsaved:  {name: "session_unsaved", first: "the session was not saved: {reason}"},
	WordSessionChanged:  {name: "session_changed", first: "it was changed again and again meanwhile", now: "others kept changing it"},
	WordSessionDoubtful: {name: "session_doubtful", first: "the session may not have been saved: its time was up", now: "the session may not have been saved: time ran out"},
	WordMemoryUnstored:  {name: "memory_unstored", first: "memory was not stored: {reason}", now: "the memory entry was not stored: {reason}"},
	WordNewSession:      {name: "new_session", first: "New session started."},
	WordHelp: {name: "help", first: "/new: remember this conversation and begin a new one\n" +
		"/stop: stop what is going on in this conversation\n" +
		"/status: say what is going on\n" +
		"/help: show this", now: "/new: remember this conversation and start a new one\n/stop: stop what is running in this conversation\n/status: show what is running\n/help: show this"},
	WordStatus:      {name: "status", first: "{lifecycle}, profile {profile}; {active} active, {waiting} waiting; session {session}: {here}"},
	WordStopRefused: {name: "stop_refused", first: "Nothing is stopped: this profile does not cancel.", now: "Nothing was stopped: this profile does not cancel."},
	WordStopNothing: {name: "stop_nothing", first: "There is nothing to stop."},
	WordStopDone:    {name: "stop_done", first: "Stopped: {n}."},
}

// String returns the word's name, as on the wire.
func (w Word) String() string { return dictionary[w].name }
