import type { AgentRuntime } from '@homeward/agent-runtime'
import type { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import { firstOf, type Recorder } from '../recorder.ts'

/** Recorder of the agent platform. */
export type PlatformRecorder = Recorder<typeof agentPlatformOperations>

/** Records agents. */
export async function recordAgents({ record, send }: PlatformRecorder): Promise<void> {
  await record('createAgent', {
    body: {
      id: 'office',
      name: 'Office helper',
      model: 'openai/gpt-5.4-mini',
      description: 'Answers questions about the office.',
      personality: 'You help the people of a small office. Answer in one sentence.',
      approval_tools: ['order_paper'],
    },
  })
  await record('listAgents')
  await record('listAgentTemplates', { show: ({ templates }) => ({ templates: templates.slice(0, 1) }) })
  await record('getAgent', { params: { id: 'office' } })
  await record('updateAgent', { params: { id: 'office' }, body: { limits: { max_turns: 5 } } })
  await record('listAgentVersions', { params: { id: 'office' }, query: { limit: '1' } })
  await record('restoreAgentVersion', { params: { id: 'office', version: '1' } })
  await send('createAgent', { body: { id: 'draft', model: 'test/echo' } })
  await record('deleteAgent', { params: { id: 'draft' } })
}

/**
 * Records runs, their files and their approvals.
 *
 * @param hold - holds the model back until the function that it returns is called
 */
export async function recordRuns(
  { record, send }: PlatformRecorder,
  hold: () => () => void,
  { whatIfs }: Pick<AgentRuntime, 'whatIfs'>,
): Promise<void> {
  const question = { agent_id: 'office', task: 'What is on tomorrow?', user_id: 'ann' }
  const { run_id, conversation_id } = await record('runAgent', { body: question })
  await record('streamAgentRun', { body: { ...question, conversation_id, task: 'And when is the first?' } })
  const chat = { agent_id: 'office', conversation_id: 'chat-1' }
  const postOf = (id: string, text: string) => ({
    params: { agent_id: 'office' },
    body: { id: chat.conversation_id, messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] },
  })
  await record('chat', postOf('message-1', 'What is on tomorrow?'))
  await send('chat', postOf('message-2', 'Order 10 reams of paper.'))
  await record('resumeChat', { params: chat })
  await record('stopChat', { params: chat })
  await record('cancelConversation', { params: { id: chat.conversation_id } })
  const params = { id: run_id }
  await record('listRuns', { query: { agent_id: 'office', q: 'tomorrow', limit: '10' } })
  await record('setRunFeedback', { params, body: { rating: 'down', comment: 'Too long.' } })
  await record('getRun', { params })
  await record('deleteRunFeedback', { params })
  await record('listRunSteps', { params, query: { prompt: 'm0.0' } })
  await record('streamRunEvents', { params })
  await record('listLogs', { query: { run_id } })
  const release = hold()
  const { run: again } = await record('rerun', { params })
  release()
  await send('streamRunEvents', { params: { id: again.id } })

  const minutes = { name: 'minutes.txt', media_type: 'text/plain', data: btoa('Three decisions were made.') }
  const withFile = await send('runAgent', {
    body: { ...question, task: 'What do the minutes say?', files: [minutes] },
  })
  const { messages } = await send('getConversation', { params: { id: withFile.conversation_id } })
  await record('getFile', { params: { id: firstOf(firstOf(messages).files).id } })

  const order = { agent_id: 'office', task: 'Order 10 reams of paper.' }
  const waiting = await send('runAgent', { body: order })
  const call = { id: waiting.run_id, approval_id: firstOf(waiting.approvals).id }
  await record('decideApproval', { params: call, body: { decision: 'approve', remember: 'agent' } })
  await send('streamRunEvents', { params: { id: waiting.run_id } })
  const { what_if: started } = await record('startWhatIf', {
    params: { id: 'office' },
    body: { changes: { personality: 'You answer in one word.' }, runs: [run_id] },
  })
  await whatIfs.finished(started.id)
  await record('getWhatIf', { params: { id: started.id } })
  const { approvals } = await record('listRememberedApprovals', { params: { id: 'office' } })
  await record('forgetApproval', { params: { id: 'office', approval_id: firstOf(approvals).id } })
  const asked = await send('runAgent', { body: order })
  await record('listWaits', { query: { agent_id: 'office' } })
  const wait = { id: asked.run_id, wait_id: firstOf(asked.waits).id }
  await record('answerWait', { params: wait, body: { data: { decision: 'approve' } } })
  await send('streamRunEvents', { params: { id: asked.run_id } })
  const undone = { params: { id: asked.run_id } }
  await record('undoRun', undone)
  await record('getRunUndo', undone)
  const unwanted = await send('runAgent', { body: order })
  const unwantedRun = { params: { id: unwanted.run_id } }
  await record('sendRunMessage', { ...unwantedRun, body: { text: 'Order only half of it.' } })
  await record('cancelRun', unwantedRun)
}

/** Records the OpenAI-compatible endpoint. */
export async function recordOpenAi({ record }: Recorder<typeof openaiOperations>): Promise<void> {
  await record('listOpenAiModels')
  await record('getOpenAiModel', { params: { model: 'office' } })
  await record('createChatCompletion', {
    body: { model: 'office', messages: [{ role: 'user', content: 'What is on tomorrow?' }] },
    show: (body) => ({ ...body, created: machineTime }),
  })
  await record('createResponse', { body: question, show: withMachineTimes })
}

/** Records a run for a client of AG-UI. */
export async function recordAgui({ record }: Recorder<typeof agentPlatformOperations>): Promise<void> {
  const messages = [{ id: 'message-1', role: 'user', content: 'What is on tomorrow?' }]
  await record('runAgui', {
    params: { agent_id: 'office' },
    body: { threadId: 'thread-1', runId: 'run-1', messages, tools: [], context: [] },
  })
}

/** Records what is stored of responses, and vectors. */
export async function recordResponses({ record, send }: Recorder<typeof openaiOperations>): Promise<void> {
  const { id } = await send('createResponse', { body: question })
  const params = { response_id: id }
  await record('getOpenAiResponse', { params, show: withMachineTimes })
  await record('deleteOpenAiResponse', { params })
  await record('createEmbedding', { body: { model: 'any', input: ['A dog', 'A cat'] } })
}

const question = { model: 'office', input: 'What is on tomorrow?' }
// below /v1 some times come from the machine's clock
const machineTime = 1_793_608_260
const withMachineTimes = (body: object) => ({ ...body, created_at: machineTime, completed_at: machineTime })
