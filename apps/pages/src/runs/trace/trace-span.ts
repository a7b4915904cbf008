import type { Approval, Cost, Run, StepAttempt, TraceStep, Usage } from '@homeward/contract/agent-platform'

/** What a line of a trace stands for. */
export type SpanKind = 'turn' | 'model' | 'attempt' | 'tool' | 'approval' | 'node' | 'run'

/** How the kinds are called. */
export const spanKindNames: Readonly<Record<SpanKind, string>> = {
  turn: 'Turn',
  model: 'Model call',
  attempt: 'Failed attempt',
  tool: 'Tool call',
  approval: 'Approval',
  node: 'Node',
  run: 'Run',
}

/** `unfinished`: the run ended before it. */
type SpanState = TraceStep['status'] | 'unfinished'

/** Something of a run that took time, and what is part of it. */
export interface TraceSpan {
  readonly id: string
  readonly kind: SpanKind
  readonly name: string
  readonly state: SpanState
  /** Absent for what has not begun, such as a call that waits for a person. */
  readonly startMs?: number
  /** Absent while it goes on. */
  readonly endMs?: number
  readonly tokens?: Usage
  readonly cost?: Cost
  /** The step itself: of a model call, a tool call or a node. */
  readonly step?: TraceStep
  /** Of a step of a run that this one asked for. */
  readonly runId?: string
  readonly attempt?: StepAttempt
  readonly approval?: Approval
  /** A run that this one asked for. */
  readonly run?: Run
  readonly children: readonly TraceSpan[]
}

/** What the spans of a run are made from. */
interface RunTrace {
  readonly run: Run
  readonly steps: readonly TraceStep[]
  /** Runs that it asked for. */
  readonly children: readonly Run[]
  /** Steps of those runs that are unfolded, by their ids. */
  readonly childSteps: ReadonlyMap<string, readonly TraceStep[]>
  /** The name of an agent or a graph. @default its id */
  readonly nameOf?: (id: string) => string
}

/** The spans of a run as a tree, in the order in which they began. */
export function toSpans({
  run,
  steps,
  children,
  childSteps,
  nameOf = String,
}: RunTrace): readonly TraceSpan[] {
  const left = new Set(children)
  const approvals = new Set(run.approvals)
  const isOpen = isOpenRun(run)
  const takeRuns = (step: TraceStep) => {
    const taken = [...left].filter((child) => isRunOf(step, child))
    for (const child of taken) left.delete(child)
    return taken.map((child) => toRunSpan(child, childSteps, nameOf))
  }
  const takeApprovals = (step: TraceStep) => {
    const taken = [...approvals].find((approval) => isApprovalOf(step, approval))
    if (!taken) return []
    approvals.delete(taken)
    return [toApprovalSpan(taken)]
  }
  const byParent = Map.groupBy(steps, ({ parent }) => parent)
  const spansBelow = (parent: string | undefined): TraceSpan[] =>
    (byParent.get(parent) ?? []).flatMap((step) => {
      const inner = [...attemptSpans(step), ...takeRuns(step)]
      // a call begins once somebody has allowed it
      return [...takeApprovals(step), toStepSpan(step, [...inner, ...spansBelow(step.id)], isOpen)]
    })
  const spans = spansBelow(undefined)
  const rest = [...approvals].map(toApprovalSpan)
  return [...toTurns(spans), ...rest, ...[...left].map((child) => toRunSpan(child, childSteps, nameOf))]
}

const isOpenRun = ({ status }: Run) => status === 'running' || status === 'waiting'

/** Each model call begins a turn; what it asked for belongs to it. */
function toTurns(spans: readonly TraceSpan[]): TraceSpan[] {
  const turns: TraceSpan[][] = []
  const before: TraceSpan[] = []
  for (const span of spans) {
    if (span.kind === 'model') turns.push([span])
    else (turns.at(-1) ?? before).push(span)
  }
  return [...before, ...turns.map((inner, index) => toTurn(inner, index))]
}

function toTurn(inner: readonly TraceSpan[], index: number): TraceSpan {
  const starts = inner.flatMap(({ startMs }) => startMs ?? [])
  const ends = inner.flatMap(({ endMs }) => endMs ?? [])
  const state = (['failed', 'waiting', 'running', 'unfinished'] as const).find((each) =>
    inner.some((span) => span.state === each && (each !== 'failed' || span.kind === 'model')),
  )
  const cost = inner[0]?.cost
  return {
    id: `turn-${inner[0]?.id ?? index}`,
    kind: 'turn',
    name: `Turn ${index + 1}`,
    state: state ?? 'completed',
    ...(starts.length > 0 && { startMs: Math.min(...starts) }),
    ...(ends.length === inner.length && { endMs: Math.max(...ends) }),
    ...(cost && { cost }),
    children: inner,
  }
}

function toStepSpan(step: TraceStep, children: readonly TraceSpan[], isOpen: boolean): TraceSpan {
  const { id, type, name, status, started_at, finished_at, tokens, cost, reused } = step
  const isLost = !isOpen && (status === 'running' || status === 'waiting')
  return {
    id,
    kind: type,
    name,
    state: isLost ? 'unfinished' : status,
    // The times of a step that was taken over are those of another run.
    ...(!reused && timesOf(started_at, finished_at)),
    ...(tokens && { tokens }),
    ...(cost && { cost }),
    step,
    children,
  }
}

/** The attempts of a step before its last one: the last is the step itself. */
function attemptSpans({ id, name, attempts, type }: TraceStep): TraceSpan[] {
  if (type === 'node') return []
  return attempts.slice(0, -1).map((attempt, index) => ({
    id: `${id}-attempt-${index}`,
    kind: 'attempt',
    name: [
      `Attempt ${index + 1}`,
      attempt.model !== undefined && attempt.model !== name && ` with ${attempt.model}`,
      statusOf(attempt.error),
    ]
      .filter(Boolean)
      .join(''),
    state: 'failed',
    ...timesOf(attempt.started_at, attempt.finished_at),
    attempt,
    children: [],
  }))
}

/** `…: the provider responded with status 500: …` → `: status 500`. */
function statusOf(error = ''): string {
  const [status] = /\bstatus \d{3}\b/.exec(error) ?? []
  return status === undefined ? '' : `: ${status}`
}

function toApprovalSpan(approval: Approval): TraceSpan {
  const { id, tool, status, created_at, decided_at } = approval
  return {
    id: `approval-${id}`,
    kind: 'approval',
    name: tool,
    state: status === 'pending' ? 'waiting' : status === 'denied' ? 'failed' : 'completed',
    ...timesOf(created_at, decided_at),
    approval,
    children: [],
  }
}

function toRunSpan(run: Run, childSteps: RunTrace['childSteps'], nameOf: (id: string) => string): TraceSpan {
  const { id, agent_id, graph_id, status, created_at, finished_at, cost } = run
  const steps = childSteps.get(id) ?? []
  const spans = steps.map((step) => toStepSpan(step, attemptSpans(step), isOpenRun(run)))
  return {
    id: `run-${id}`,
    kind: 'run',
    name: nameOf(agent_id ?? graph_id ?? id),
    state: status === 'cancelled' ? 'unfinished' : status,
    ...timesOf(created_at, finished_at),
    ...(cost && { cost }),
    run,
    // ids of steps are those of one run
    children: toTurns(spans).map((span) => ofRun(id, span)),
  }
}

function ofRun(runId: string, span: TraceSpan): TraceSpan {
  return {
    ...span,
    id: `${runId}/${span.id}`,
    runId,
    children: span.children.map((child) => ofRun(runId, child)),
  }
}

/** Whether a step has started a run: its attempts or its result name it, or it asks for that agent and still works. */
function isRunOf({ type, input, output, attempts, started_at, finished_at }: TraceStep, run: Run): boolean {
  if (attempts.some(({ run_id }) => run_id === run.id)) return true
  if (type !== 'tool') return false
  const named = fieldOf(output, 'run_id')
  if (named !== undefined) return named === run.id
  if (fieldOf(input, 'agent_id') !== run.agent_id) return false
  const createdMs = Date.parse(run.created_at)
  const isBefore = started_at !== undefined && createdMs < Date.parse(started_at)
  return !isBefore && (finished_at === undefined || createdMs <= Date.parse(finished_at))
}

function isApprovalOf({ type, name, input }: TraceStep, { tool, args, edited_args }: Approval): boolean {
  if (type !== 'tool' || name !== tool) return false
  const given = JSON.stringify(input)
  return given === JSON.stringify(args) || given === JSON.stringify(edited_args)
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function timesOf(start: string | undefined, end: string | undefined) {
  return {
    ...(start !== undefined && { startMs: Date.parse(start) }),
    ...(end !== undefined && { endMs: Date.parse(end) }),
  }
}

/** A line of the tree. */
export interface TraceRow {
  readonly span: TraceSpan
  /** From 1 on. */
  readonly level: number
  /** Undefined for what has nothing to unfold. */
  readonly isExpanded: boolean | undefined
}

/** Whether a span can be unfolded: the steps of a run are read when it is. */
const isFoldable = ({ kind, children }: TraceSpan) => kind === 'run' || children.length > 0

/** Runs begin folded, all else unfolded. */
const isExpanded = (span: TraceSpan, toggled: ReadonlySet<string>) =>
  (span.kind !== 'run') !== toggled.has(span.id)

/** The lines in sight, from top to bottom. `toggled` are spans that somebody folded or unfolded. */
export function toRows(spans: readonly TraceSpan[], toggled: ReadonlySet<string>, level = 1): TraceRow[] {
  return spans.flatMap((span) => {
    if (!isFoldable(span)) return [{ span, level, isExpanded: undefined }]
    const isOpen = isExpanded(span, toggled)
    const inner = isOpen ? toRows(span.children, toggled, level + 1) : []
    return [{ span, level, isExpanded: isOpen }, ...inner]
  })
}

/** The span that shows as long as nobody has chosen one: what works or went wrong, or else the first step. */
export function usualSpan(rows: readonly TraceRow[]): TraceSpan | undefined {
  const inner = rows.filter(({ span }) => span.kind !== 'turn')
  const found =
    inner.findLast(({ span }) => span.kind === 'approval' && span.state === 'waiting') ??
    inner.findLast(({ span }) => span.state === 'running' || span.state === 'waiting') ??
    inner.find(({ span }) => span.state === 'failed' && span.step !== undefined)
  return (found ?? inner[0] ?? rows[0])?.span
}

/** From when until when the bars go. `nowMs` ends what goes on. */
export function toRange(run: Run, rows: readonly TraceRow[], nowMs: number) {
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const finishedMs = run.finished_at === undefined ? nowMs : Date.parse(run.finished_at)
  const starts = rows.flatMap(({ span }) => span.startMs ?? [])
  const ends = rows.flatMap(({ span }) => span.endMs ?? [])
  const startMs = Math.min(Date.parse(run.created_at), ...starts)
  return { startMs, endMs: Math.max(isOpen ? nowMs : finishedMs, startMs + 1, ...ends) }
}
