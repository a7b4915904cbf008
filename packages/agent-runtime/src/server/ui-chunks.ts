import type { NodeResult, RunEvent } from '@homeward/contract/agent-platform'

/** A chunk of the AI SDK's UI message stream, version 1. */
export interface UiChunk {
  readonly type: string
  readonly [field: string]: unknown
}

/** Of a call that the server makes: the page must not run the tool. */
const served = { providerExecuted: true } as const
/** Of a call of a tool that the page cannot know. */
const foreign = { dynamic: true, ...served } as const

/** What the chunks of a run depend on, besides its events. */
export interface UiChunkOptions {
  /** Path below which the server is mounted: addresses of files begin with it. @default none */
  readonly basePath?: string
  /** Names of the tools that the agent declares in code. @default none */
  readonly declared?: ReadonlySet<string>
}

/** Header that says which protocol the stream speaks. */
export const uiStreamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' } as const

/**
 * Turns the events of one run, in their order, into chunks that `useChat` understands (A6). Tools are `providerExecuted`, as the
 * page must not run them, and `dynamic`, unless the agent declares them in code. Tools of the page are neither.
 */
export function createUiChunks(options: UiChunkOptions = {}): (event: RunEvent) => UiChunk[] {
  const { grow, end: endText } = createBlocks()
  let sources = 0
  const calls = createCalls(options, endText)
  const { asked, nextStep } = calls

  const end = (result: Done): UiChunk[] => [
    ...endText(),
    ...asked.endBelow(),
    ...('data' in result && result.data !== undefined ? [{ type: 'data-output', data: result.data }] : []),
    { type: 'finish-step' },
    ...finish(result),
  ]

  return ({ event, data }) => {
    switch (event) {
      case 'start':
        if ('client_tools' in data) calls.ofPage(data.client_tools)
        return [
          { type: 'start', messageId: data.run_id, messageMetadata: { ...data } },
          { type: 'start-step' },
        ]
      case 'assistant':
        return grow('text', data.delta, nextStep())
      case 'reasoning':
        return grow('reasoning', data.delta, nextStep())
      case 'source':
        sources += 1
        return [toSourceChunk(`source-${sources}`, data)]
      case 'file':
        return [...endText(), ...nextStep(), toFileChunk(data, options)]
      case 'tool_start':
        return calls.begin(data)
      case 'tool_progress': {
        // shown while the call runs, and not kept in the message
        const progress = { toolCallId: asked.end(data.id), toolName: data.name, text: data.text }
        return [{ type: 'data-tool-progress', data: progress, transient: true }]
      }
      case 'data':
        return [toDataChunk(data)]
      case 'tool_call':
        return calls.end(data)
      case 'approval':
        return calls.ask(data)
      case 'retry':
        // shown while it waits, and not kept in the message; an output that is corrected is a text of its own
        return [...endText(), { type: 'data-retry', data, transient: true }]
      case 'usage':
        return [{ type: 'message-metadata', messageMetadata: { usage: data } }]
      case 'done':
        // a graph's text comes at its end: its nodes speak in streams of their own
        if ('graph_id' in data && data.output !== '')
          return [...grow('text', data.output, nextStep()), ...end(data)]
        return end(data)
      case 'error':
        return [...endText(), ...asked.endBelow(), toBroken(data)]
      case 'wait':
        return calls.wait(data.wait)
      case 'message':
      case 'wait_settled':
      default:
        return []
      case 'node_start':
        return [toNodeChunk({ ...data, status: 'running' })]
      case 'node_done':
        return [toNodeChunk(data)]
    }
  }
}

/** Calls of tools, and the steps that they are in. */
function createCalls({ declared }: UiChunkOptions, endText: () => UiChunk[]) {
  let isStepDone = false
  const open = new Set<string>()
  const asked = createAskedCalls()
  const ofPage = new Set<string>()
  const kindOf = (tool: string) => (ofPage.has(tool) ? {} : declared?.has(tool) ? served : foreign)

  /** A step is one turn of the model with its tool calls: what comes behind their results belongs to the next. */
  function nextStep(): UiChunk[] {
    if (!isStepDone || open.size > 0) return []
    isStepDone = false
    return [{ type: 'finish-step' }, { type: 'start-step' }]
  }

  function call(toolCallId: string, toolName: string, input: unknown): UiChunk[] {
    return [
      ...endText(),
      ...nextStep(),
      { type: 'tool-input-available', toolCallId, toolName, input, ...kindOf(toolName) },
    ]
  }

  /** The page sees a call of its own under the id of the wait that it answers: that comes later. */
  function beginOfPage(data: DataOf<'tool_start'>): UiChunk[] {
    asked.begun(data)
    return [...endText(), ...nextStep()]
  }

  return {
    asked,
    nextStep,
    /** Names the tools of the page. */
    ofPage(names: readonly string[] = []): void {
      for (const name of names) ofPage.add(name)
    },
    begin(data: DataOf<'tool_start'>): UiChunk[] {
      const begin = () => (ofPage.has(data.name) ? beginOfPage(data) : call(data.id, data.name, data.args))
      const chunks = asked.begin(data) ? endText() : begin()
      open.add(data.id)
      return chunks
    },
    end(data: DataOf<'tool_call'>): UiChunk[] {
      const unseen = asked.lose(data.id)
      const begun = unseen ? call(data.id, data.name, unseen.args) : []
      open.delete(data.id)
      isStepDone = true
      return [
        ...begun,
        outcomeOf({ ...data, id: asked.end(data.id) }, kindOf(data.name)),
        // an agent below works inside of a call
        ...(open.size === 0 ? asked.endBelow() : []),
      ]
    },
    ask(data: DataOf<'approval'>): UiChunk[] {
      asked.add(data)
      return [
        ...call(data.id, data.tool, data.args),
        { type: 'tool-approval-request', approvalId: data.id, toolCallId: data.id },
      ]
    },
    wait(wait: DataOf<'wait'>['wait']): UiChunk[] {
      const { kind, id, tool = '', args = {} } = wait
      return kind === 'client_tool' && asked.open(wait) ? call(id, tool, args) : []
    },
  }
}

/** Text and reasoning, of which one block is open at a time. */
function createBlocks() {
  let open: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined
  let count = 0

  function end(): UiChunk[] {
    if (open === undefined) return []
    const { type, id } = open
    open = undefined
    return [{ type: `${type}-end`, id }]
  }

  return {
    end,
    /** Adds to the block that is open, or opens one. @param before - chunks that come before it */
    grow(type: 'text' | 'reasoning', delta: string, before: readonly UiChunk[]): UiChunk[] {
      if (open?.type === type) return [...before, { type: `${type}-delta`, id: open.id, delta }]
      const ended = end()
      count += 1
      const id = `${type}-${count}`
      open = { type, id }
      return [...ended, ...before, { type: `${type}-start`, id }, { type: `${type}-delta`, id, delta }]
    },
  }
}

interface AskedCall {
  readonly id: string
  readonly tool: string
  /** As JSON: both events are written from the same arguments. */
  readonly args: string
}

/**
 * Calls that a person is asked about. The id of the model's call is not in the event: the approval stands for it, and is
 * the call that the page sees begin and end.
 */
function createAskedCalls() {
  const waiting: AskedCall[] = []
  const shownAs = new Map<string, string>()
  const runsBelow = new Map<string, string>()
  const ofPage = new Map<string, DataOf<'tool_start'>>()
  return {
    /** A call of a tool of the page: it has no wait yet. */
    begun: (call: DataOf<'tool_start'>) => void ofPage.set(call.id, call),
    /** @returns whether the wait is one of a call of the page. */
    open({ id, tool, args }: DataOf<'wait'>['wait']): boolean {
      const named = [...ofPage.values()].filter(({ name }) => name === tool)
      const same = named.find((call) => JSON.stringify(call.args) === JSON.stringify(args)) ?? named[0]
      if (!same) return false
      ofPage.delete(same.id)
      shownAs.set(same.id, id)
      return true
    },
    /** @returns a call of the page that has ended without a wait, such as one whose arguments do not match. */
    lose(callId: string): DataOf<'tool_start'> | undefined {
      const call = ofPage.get(callId)
      ofPage.delete(callId)
      return call
    },
    add({ id, tool, args, run_id }: DataOf<'approval'>): void {
      if (run_id === undefined) waiting.push({ id, tool, args: JSON.stringify(args) })
      else runsBelow.set(id, run_id)
    },
    /** Calls of agents below go on in streams of their own: here they end with where to look, and nobody is asked any more. */
    endBelow(): UiChunk[] {
      const chunks = [...runsBelow].map(([id, run_id]) => outcomeOf({ id, result: { run_id } }, foreign))
      runsBelow.clear()
      return chunks
    },
    /** @returns whether the page has seen the call already. */
    begin({ id, name, args }: DataOf<'tool_start'>): boolean {
      const same = waiting.findIndex((asked) => asked.tool === name && asked.args === JSON.stringify(args))
      // a person may have changed the arguments
      const at = same === -1 ? waiting.findIndex(({ tool }) => tool === name) : same
      const [asked] = at === -1 ? [] : waiting.splice(at, 1)
      if (asked) shownAs.set(id, asked.id)
      return asked !== undefined
    },
    /** @returns the id under which the page knows the call. */
    end: (id: string): string => shownAs.get(id) ?? id,
  }
}

interface EndedCall {
  readonly id: string
  readonly result?: unknown
  readonly error?: string | undefined
  readonly denied?: true | undefined
}

function outcomeOf({ id: toolCallId, result, error, denied }: EndedCall, kind: object): UiChunk {
  if (denied) return { type: 'tool-output-denied', toolCallId }
  if (error === undefined)
    return { type: 'tool-output-available', toolCallId, output: result ?? null, ...kind }
  return { type: 'tool-output-error', toolCallId, errorText: error, ...kind }
}

const toFileChunk = (file: DataOf<'file'>, { basePath = '' }: UiChunkOptions): UiChunk => ({
  type: 'file',
  url: `${basePath}/api/files/${file.id}`,
  mediaType: file.media_type,
})

/** A page, or a passage of a document as a `source-document` part; what the part has no field for is in its metadata. */
function toSourceChunk(sourceId: string, source: DataOf<'source'>): UiChunk {
  if ('url' in source) return { type: 'source-url', sourceId, ...source }
  const { name, ...homeward } = source
  const mediaType = 'application/octet-stream'
  return {
    type: 'source-document',
    sourceId,
    mediaType,
    title: name,
    filename: name,
    providerMetadata: { homeward },
  }
}

const toDataChunk = ({ name, ...part }: DataOf<'data'>): UiChunk => ({ type: `data-${name}`, ...part })

/** How far a node of a graph is: a data part of the message, of which the newest state counts. */
function toNodeChunk(node: Pick<NodeResult, 'node_id'> & { readonly status: string }): UiChunk {
  return { type: 'data-node', id: node.node_id, data: node }
}

/** A run that somebody cancelled has not gone wrong: the page shows what there is, and no error. */
function toBroken({ code, message }: DataOf<'error'>): UiChunk {
  if (code === 'cancelled') return { type: 'abort', reason: 'The run was canceled' }
  return { type: 'error', errorText: message }
}

type DataOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>['data']
type Done = DataOf<'done'>

function finish(done: Done): UiChunk[] {
  if ('graph_id' in done) {
    const { usage, graph_id, success } = done
    return [
      {
        type: 'finish',
        finishReason: success ? 'stop' : 'other',
        messageMetadata: { usage, graph_id, success },
      },
    ]
  }
  const { stop_reason, usage, conversation_id, model } = done
  const messageMetadata = { usage, conversation_id, model, stop_reason }
  const finishReason = stop_reason === 'done' ? 'stop' : stop_reason === 'max_tokens' ? 'length' : 'other'
  return [{ type: 'finish', finishReason, messageMetadata }]
}
