import type { JournalEventType } from '@homeward/contract/agent-platform'

/** What each kind of journal event tells, and what its `data` holds. */
export const journalEvents: Readonly<Record<JournalEventType, readonly [string, string]>> = {
  'agent.started': ['A run began.', 'agent_id, conversation_id, model, task?, parent_run_id?'],
  'agent.completed': [
    'A run has ended.',
    'agent_id, status, stop_reason, turns, tool_calls, input_tokens, output_tokens, error?',
  ],
  'model.completed': [
    'A call of a model has ended.',
    'agent_id, user_id?, model, input_tokens, output_tokens, cached_input_tokens?, cache_write_input_tokens?, reasoning_tokens?, cost_usd?, duration_ms, finish, what_if?',
  ],
  'graph.started': ['A run of a graph began. Its nodes are runs of agents.', 'graph_id, task'],
  'graph.completed': ['A run of a graph has ended.', 'graph_id, success, status, error?'],
  'tool.called': ['A tool call began.', 'agent_id, tool, call_id, args, effects?, tainted?'],
  'tool.completed': ['A tool call has ended.', 'agent_id, tool, call_id, ok, error?, duration_ms'],
  'approval.requested': [
    'A tool call waits for a person.',
    'agent_id, approval_id, tool, effects?, tainted?',
  ],
  'approval.resolved': ['A person has decided.', 'agent_id, approval_id, status, decided_by?'],
  'wait.opened': [
    'A run waits for something.',
    'agent_id?, graph_id?, wait_id, kind, tool?, event?, effects?, tainted?',
  ],
  'wait.settled': ['A wait has been settled.', 'agent_id?, graph_id?, wait_id, kind, status, answered_by?'],
  'skill.changed': ['A skill was `installed`, `removed` or `configured`.', 'skill_id, change'],
  'task.created': [
    'A task was put into the queue.',
    'task_id, agent_id?, graph_id?, schedule_id?, schedule?, scheduled_for?, retry?',
  ],
  'task.started': ['An attempt of a task began.', 'task_id, agent_id?, graph_id?, attempt'],
  'task.completed': ['A task has ended.', 'task_id, agent_id?, graph_id?, attempt'],
  'task.failed': ['A task has failed.', 'task_id, agent_id?, graph_id?, attempt, code, message, retryable'],
  'schedule.fired': [
    'A schedule created a task at its time.',
    'schedule_id?, agent_id?, graph_id?, schedule, timezone, scheduled_for, task_id',
  ],
  'schedule.missed': [
    'A time of a schedule passed without a task.',
    'schedule_id?, agent_id?, graph_id?, schedule, timezone, scheduled_for, reason, first?, count?, more?',
  ],
  'channel.message': [
    'A channel received a message, and its task was created.',
    'channel, message_id, conversation_id, task_id, sender_id',
  ],
  'channel.reply': [
    'An answer was delivered.',
    'channel, message_id, conversation_id, task_id, parts, platform_ids',
  ],
  'channel.failed': [
    'An answer was not delivered (`failed`) or may not have arrived (`uncertain`), or no agent answers a message.',
    'channel, message_id?, conversation_id, task_id?, status?, code, message',
  ],
  'channel.sender': [
    'An unknown person or group waits for permission (`pending`), or the operator has decided (`allowed`, `blocked`).',
    'channel, sender_id, kind?, status',
  ],
}
