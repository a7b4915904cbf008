import type { AgentRuntime } from '@homeward/agent-runtime'
import type { PlatformRecorder } from './agents-and-runs.ts'

/** Records tasks; the runtime begins to work on them in between. */
export async function recordTasks({ record, send }: PlatformRecorder, runtime: AgentRuntime): Promise<void> {
  const body = { agent_id: 'office', task: 'What is on tomorrow?', metadata: { asked_by: 'calendar' } }
  const { task } = await record('createTask', { body })
  const unwanted = await send('createTask', { body })
  await record('cancelTask', { params: { id: unwanted.task.id } })
  const failing = await send('createTask', { body: { ...body, task: 'Please fail.', max_attempts: 1 } })
  await runtime.start()
  for (const { id } of [task, failing.task]) await whenEnded(runtime, id)
  await record('listTasks', { query: { status: 'completed' } })
  await record('getTask', { params: { id: task.id } })
  await record('retryTask', { params: { id: failing.task.id } })
  await whenEnded(runtime, failing.task.id)
}

/** Waits for the end of a task without a request, which would move the clock. */
async function whenEnded(runtime: AgentRuntime, id: string): Promise<void> {
  for (;;) {
    const { status } = await runtime.tasks.get(id)
    if (status === 'completed' || status === 'failed') return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Records graphs. */
export async function recordGraphs({ record, send }: PlatformRecorder): Promise<void> {
  const graph = {
    id: 'briefing',
    name: 'Morning briefing',
    nodes: [
      { id: 'meetings', agent: 'office', input: 'List the meetings of {{input}}.' },
      { id: 'reply', agent: 'office', input: 'Write one sentence about: {{meetings}}' },
    ],
    edges: [{ from: 'meetings', to: 'reply' }],
  }
  const params = { id: 'briefing' }
  await record('createGraph', { body: graph })
  await record('listGraphs')
  await record('getGraph', { params })
  await record('updateGraph', { params, body: { description: 'Says what the day brings.' } })
  await record('runGraph', { body: { graph_id: 'briefing', input: 'tomorrow' } })
  await record('streamGraphRun', { body: { graph_id: 'briefing', input: 'Friday' } })
  await send('createGraph', { body: { ...graph, id: 'draft' } })
  await record('deleteGraph', { params: { id: 'draft' } })
}

/** Records schedules. */
export async function recordSchedules({ record }: PlatformRecorder, runtime: AgentRuntime): Promise<void> {
  const body = {
    agent_id: 'office',
    name: 'Morning briefing',
    cron: '0 8 * * 1-5',
    input: 'What is on today?',
    timezone: 'Europe/Berlin',
  }
  const { schedule } = await record('createSchedule', { body })
  const params = { id: schedule.id }
  await record('listSchedules')
  await record('previewSchedule', {
    query: { schedule: '0 8 * * 1-5', timezone: 'Europe/Berlin', count: '3' },
  })
  await record('updateSchedule', { params, body: { cron: '30 7 * * 1-5' } })
  const { task } = await record('runSchedule', { params })
  await whenEnded(runtime, task.id)
  await record('listScheduleHistory', { params })
  await record('deleteSchedule', { params })
}
