import type { Json } from '@homeward/contract/agent-platform'
import type { RuntimeEvent } from '../journal/runtime-events.ts'
import type { TracedRun, TracedWait, TracedWork } from '../ports/instrumentation.ts'
import { shownId } from '../store/own-conversation.ts'

/** Attributes of a span. Nothing that a person or a model wrote: no task, no arguments, no results, no error texts. */
type SpanAttributes = Record<string, string | number | boolean | string[]>

/** Names that the GenAI conventions have for providers; others stand for themselves. */
const providerNames: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']])

/** How a span begins: by the GenAI conventions of OpenTelemetry. */
export interface SpanStart {
  readonly name: string
  readonly attributes: SpanAttributes
}

/** A run of an agent, or of a graph. */
export function toRunSpan(run: TracedRun): SpanStart {
  const { id, kind, graph, agentId, userId, conversationId } = run
  if (kind === 'graph') {
    return {
      name: named('invoke_workflow', graph?.id),
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        ...textAttribute('gen_ai.workflow.name', graph?.id),
        'homeward.run.id': id,
      },
    }
  }
  const isOwn = userId !== undefined && conversationId !== undefined
  return {
    name: named('invoke_agent', agentId),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      ...textAttribute('gen_ai.agent.id', agentId),
      ...textAttribute('gen_ai.agent.name', agentId),
      ...textAttribute('gen_ai.conversation.id', isOwn ? shownId(conversationId) : conversationId),
      ...modelAttributes(run.model),
      'homeward.run.id': id,
    },
  }
}

/** A call of a model, by the event of its end. */
export function toModelSpan({ data }: RuntimeEvent): SpanStart {
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

/** A tool call. */
export function toToolSpan(tool: string | undefined, callId: string): SpanStart {
  return {
    name: named('execute_tool', tool),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      ...textAttribute('gen_ai.tool.name', tool),
      ...textAttribute('gen_ai.tool.call.id', callId === '' ? undefined : callId),
    },
  }
}

/** A call of a node's function. */
export function toFunctionSpan(work: Extract<TracedWork, { kind: 'function' }>): SpanStart {
  return {
    name: named('invoke_function', work.nodeId),
    attributes: {
      'gen_ai.operation.name': 'invoke_function',
      'homeward.node.id': work.nodeId,
      'homeward.node.function': work.name,
      'homeward.node.attempt': work.attempt,
      'homeward.run.id': work.run.id,
    },
  }
}

/** An attempt of a task. */
export function toTaskSpan(task: Extract<TracedWork, { kind: 'task' }>): SpanStart {
  const { kind, id } = task.subject
  return {
    name: named('task', id),
    attributes: {
      [kind === 'agent' ? 'gen_ai.agent.id' : 'gen_ai.workflow.name']: id,
      'homeward.task.id': task.id,
      'homeward.task.attempt': task.attempt,
    },
  }
}

/** Something that a run waited for. */
export function toWaitSpan({ id, kind, status, tool, event }: TracedWait): SpanStart {
  return {
    name: named('wait', kind),
    attributes: {
      'homeward.wait.id': id,
      'homeward.wait.kind': kind,
      'homeward.wait.status': status,
      ...textAttribute('homeward.wait.event', event),
      ...textAttribute('gen_ai.tool.name', tool),
    },
  }
}

/** What is known of a run at its end. `errorType` is present when it failed. */
export function toRunEnd({ data }: RuntimeEvent): {
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
export function durationOf({ data }: Pick<RuntimeEvent, 'data'>): number {
  const duration = data['duration_ms']
  return typeof duration === 'number' && duration > 0 ? duration : 0
}

/** A field of an event's data that is text. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function usageAttributes(data: RuntimeEvent['data']): SpanAttributes {
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
