import type { JournalEvent, Json } from '@homeward/contract/agent-platform'

/** Attributes of a span. Nothing that a person or a model wrote: no task, no arguments, no results, no error texts. */
type SpanAttributes = Record<string, string | number | boolean | string[]>

/** Names that the GenAI conventions have for providers; others stand for themselves. */
const providerNames: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']])

/** How a span of the journal begins: by the GenAI conventions of OpenTelemetry. */
export interface SpanStart {
  readonly name: string
  readonly attributes: SpanAttributes
}

/** A run of an agent, or of a graph, by its first event. */
export function toRunSpan({ type, run_id, data }: JournalEvent): SpanStart {
  const runId = { ...textAttribute('homeward.run.id', run_id) }
  if (type === 'graph.started') {
    const graph = text(data['graph_id'])
    return {
      name: named('invoke_workflow', graph),
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        ...textAttribute('gen_ai.workflow.name', graph),
        ...runId,
      },
    }
  }
  const agent = text(data['agent_id'])
  return {
    name: named('invoke_agent', agent),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      ...textAttribute('gen_ai.agent.id', agent),
      ...textAttribute('gen_ai.agent.name', agent),
      ...textAttribute('gen_ai.conversation.id', text(data['conversation_id'])),
      ...modelAttributes(text(data['model'])),
      ...runId,
    },
  }
}

/** A call of a model, by the event of its end. */
export function toModelSpan({ data }: JournalEvent): SpanStart {
  const model = text(data['model'])
  const finish = text(data['finish'])
  return {
    name: named('chat', splitModel(model)?.model),
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...modelAttributes(model),
      ...usageAttributes(data),
      ...(finish !== undefined && { 'gen_ai.response.finish_reasons': [finish] }),
    },
  }
}

/** A tool call, by the event of its start. */
export function toToolSpan({ data }: JournalEvent): SpanStart {
  const tool = text(data['tool'])
  return {
    name: named('execute_tool', tool),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      ...textAttribute('gen_ai.tool.name', tool),
      ...textAttribute('gen_ai.tool.call.id', text(data['call_id'])),
    },
  }
}

/** What is known of a run at its end. `errorType` is present when it failed. */
export function toRunEnd({ data }: JournalEvent): {
  attributes: SpanAttributes
  errorType: string | undefined
} {
  const status = text(data['status'])
  const reason = text(data['stop_reason'])
  return {
    attributes: {
      ...usageAttributes(data),
      ...textAttribute('homeward.run.status', status),
      ...textAttribute('homeward.run.stop_reason', reason),
    },
    errorType: status === 'failed' ? (reason ?? 'run_error') : undefined,
  }
}

/** Milliseconds before the event at which what it ends began. */
export function durationOf({ data }: Pick<JournalEvent, 'data'>): number {
  const duration = data['duration_ms']
  return typeof duration === 'number' && duration > 0 ? duration : 0
}

/** A field of an event's data that is text. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function usageAttributes(data: JournalEvent['data']): SpanAttributes {
  return {
    ...numberAttribute('gen_ai.usage.input_tokens', data['input_tokens']),
    ...numberAttribute('gen_ai.usage.output_tokens', data['output_tokens']),
    ...numberAttribute('gen_ai.usage.cache_read.input_tokens', data['cached_input_tokens']),
    ...numberAttribute('gen_ai.usage.cache_creation.input_tokens', data['cache_write_input_tokens']),
    ...numberAttribute('gen_ai.usage.reasoning.output_tokens', data['reasoning_tokens']),
  }
}

function modelAttributes(model: string | undefined): SpanAttributes {
  const split = splitModel(model)
  if (!split) return {}
  return {
    ...textAttribute('gen_ai.provider.name', split.provider),
    'gen_ai.request.model': split.model,
  }
}

function splitModel(name: string | undefined): { provider: string | undefined; model: string } | undefined {
  if (name === undefined) return undefined
  const slash = name.indexOf('/')
  if (slash < 0) return { provider: undefined, model: name }
  const provider = name.slice(0, slash)
  return { provider: providerNames.get(provider) ?? provider, model: name.slice(slash + 1) }
}

const named = (operation: string, of: string | undefined) =>
  of === undefined ? operation : `${operation} ${of}`
const textAttribute = (key: string, value: string | undefined) =>
  value === undefined ? {} : { [key]: value }
const numberAttribute = (key: string, value: Json | undefined) =>
  typeof value === 'number' ? { [key]: value } : {}
