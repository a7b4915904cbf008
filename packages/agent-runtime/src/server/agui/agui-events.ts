import type { Json, JsonObject, Run, RunEvent, Wait } from '@homeward/contract/agent-platform'
import type { UiChunk } from '../ui-chunks.ts'

/** An event of AG-UI. */
export interface AguiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

/**
 * Turns the chunks of a run into events of AG-UI.
 *
 * @param runId of the platform: ids of messages are unique in the conversation
 * @param answered calls whose outputs the caller has, because it sent them
 */
export function createAguiEvents(
  runId: string,
  answered: ReadonlySet<string>,
): (chunk: UiChunk) => AguiEvent[] {
  return ({ type, ...chunk }) => {
    const messageId = `${runId}.${String(chunk['id'])}`
    const { toolCallId, delta } = chunk
    const result = (content: string): AguiEvent[] =>
      answered.has(String(toolCallId))
        ? []
        : [
            {
              type: 'TOOL_CALL_RESULT',
              messageId: `${String(toolCallId)}.result`,
              toolCallId,
              content,
              role: 'tool',
            },
          ]
    switch (type) {
      case 'text-start':
        return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      case 'text-delta':
        return delta === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }]
      case 'text-end':
        return [{ type: 'TEXT_MESSAGE_END', messageId }]
      case 'reasoning-start':
        return [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        ]
      case 'reasoning-delta':
        return delta === '' ? [] : [{ type: 'REASONING_MESSAGE_CONTENT', messageId, delta }]
      case 'reasoning-end':
        return [
          { type: 'REASONING_MESSAGE_END', messageId },
          { type: 'REASONING_END', messageId },
        ]
      case 'tool-input-available':
        return [
          { type: 'TOOL_CALL_START', toolCallId, toolCallName: chunk['toolName'] },
          { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(chunk['input'] ?? {}) },
          { type: 'TOOL_CALL_END', toolCallId },
        ]
      case 'tool-output-available':
        return result(textOf(chunk['output']))
      case 'tool-output-error':
        return result(textOf(chunk['errorText']))
      case 'tool-output-denied':
        return result('The call was denied.')
      case 'source-url':
      case 'source-document':
      case 'file':
        return [{ type: 'CUSTOM', name: type, value: chunk }]
      default:
        return type.startsWith('data-')
          ? [{ type: 'CUSTOM', name: type.slice('data-'.length), value: chunk['data'] ?? null }]
          : []
    }
  }
}

/** What every event of the beginning and the end of a run says. */
export interface AguiHead {
  readonly threadId: string
  readonly runId: string
}

/** The last event of a run that has ended. */
export function toAguiEnd(
  head: AguiHead,
  { event, data }: Extract<RunEvent, { event: 'done' | 'error' }>,
  knowsCancelled: boolean,
): AguiEvent {
  if (event === 'error') {
    if (data.code === 'cancelled' && knowsCancelled)
      return { type: 'RUN_FINISHED', ...head, outcome: { type: 'cancelled' } }
    return { type: 'RUN_ERROR', message: data.message, ...(data.code && { code: data.code }) }
  }
  const { input_tokens: inputTokens, output_tokens: outputTokens } = data.usage
  return {
    type: 'RUN_FINISHED',
    ...head,
    result: { output: data.output, ...('data' in data && data.data !== undefined && { data: data.data }) },
    outcome: { type: 'success' },
    usage: [{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }],
  }
}

/** The last event of a run that waits: for outputs of tools of the caller only, or for people too. */
export function toAguiWaiting(head: AguiHead, waits: Run['waits']): AguiEvent {
  const open = waits.filter(({ status }) => status === 'open')
  const interrupts = open.filter(({ kind }) => kind !== 'client_tool').map(toInterrupt)
  const outcome =
    interrupts.length > 0
      ? { type: 'interrupt', interrupts }
      : { type: 'success', pendingToolCallIds: open.map(({ id }) => id) }
  return { type: 'RUN_FINISHED', ...head, outcome }
}

const decisionSchema: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    editedArgs: { type: 'object', description: 'Replaces the arguments of the call.' },
    reason: { type: 'string', description: 'Why the call is denied. The model reads it.' },
  },
  required: ['approved'],
}

const reasons = {
  approval: 'tool_call',
  question: 'input_required',
  client_tool: 'tool_call',
  event: 'homeward:event',
  login: 'homeward:login',
  budget: 'homeward:budget',
} as const satisfies Record<Wait['kind'], string>

function toInterrupt({ id, kind, message, schema, tool, args, url, expires_at, run_id }: Wait): AguiEvent {
  const responseSchema =
    kind === 'approval' ? decisionSchema : (schema ?? (kind === 'question' ? { type: 'string' } : undefined))
  return {
    id,
    reason: reasons[kind],
    message: message ?? (kind === 'approval' ? `Approve the call of "${tool ?? ''}"?` : 'The agent waits.'),
    ...(kind === 'approval' && { toolCallId: id }),
    ...(responseSchema && { responseSchema }),
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    metadata: {
      kind,
      run_id,
      ...(tool !== undefined && { tool }),
      ...(args !== undefined && { args }),
      ...(url !== undefined && { url }),
    },
  } as unknown as AguiEvent // it has no type: it is part of an event
}

/** The answer to a wait, as a client of AG-UI gives it: decisions of approvals in its own words, too. */
export function toWaitData(kind: Wait['kind'], payload: Json = null): Json {
  if (kind !== 'approval' || typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return payload
  const { approved, editedArgs, reason, ...own } = payload
  if (typeof approved !== 'boolean') return payload
  if (!approved) return { ...own, decision: 'deny', ...(reason !== undefined && { reason }) }
  return { ...own, decision: 'approve', ...(editedArgs !== undefined && { args: editedArgs }) }
}
