import * as z from 'zod/mini'
import { CatchUp, Overlap, ReportTarget } from './agent.ts'
import { Budget } from './budget.ts'
import { Usage } from './usage.ts'
import { Wait } from './wait.ts'
import { Json } from '../json-value.ts'
import {
  type Clearable,
  clearable,
  CustomId,
  GivenMetadata,
  OutputSchema,
  orAbsent,
  PlatformId,
  shortText,
  Slug,
} from './values.ts'

/** Name of a function of the server's program. */
const FunctionName = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,128}$/, 'must be the name of a function, such as "report/count"'),
  )

/**
 * What happens with the nodes behind one that failed. `fail`: all of them are skipped. `skip`: as if it had been skipped
 * itself, so that those run that another edge leads to. `continue`: they run, and are told of the failure.
 */
export const OnNodeError = z.enum(['fail', 'skip', 'continue'])
export type OnNodeError = z.infer<typeof OnNodeError>

/** Runs a node once for each item of a list. */
export const GraphMap = z.object({
  /** Id of a node before this one whose data is the list, or holds it; `input`: the graph's input, as JSON. */
  over: Slug,
  /** JSON Pointer to the list in that data, such as `/cities`. Default: the data itself is the list. */
  path: orAbsent(
    z.string().check(z.maxLength(500), z.regex(/^(?:\/[^/]*)+$/, 'must be a JSON Pointer such as "/cities"')),
  ),
  /** Items at the same time. Default 4. */
  concurrency: orAbsent(z.int().check(z.gte(1), z.lte(32))),
})
export type GraphMap = z.infer<typeof GraphMap>

const seconds = z.int().check(z.gte(1), z.lte(31_536_000))

/** What a node waits for: an event, or a time. Exactly one of `event`, `seconds` and `until`. */
export const GraphWait = z
  .object({
    /** Name of the event. Its payload is the data of the node. */
    event: orAbsent(shortText(200)),
    /** With `event`: JSON Schema of the payload. */
    match: orAbsent(OutputSchema),
    /** With `event`: seconds after which the node fails with `wait_expired`. Default: it waits until the event comes. */
    timeout: orAbsent(seconds),
    /** Seconds that the node waits. */
    seconds: orAbsent(seconds),
    /** Time at which the node ends, as ISO 8601, with placeholders as in `input`. A time that has passed ends it at once. */
    until: orAbsent(z.string().check(z.minLength(1), z.maxLength(1000))),
  })
  .check(
    z.refine(
      ({ event, seconds: time, until }) =>
        [event, time, until].filter((one) => one !== undefined).length === 1,
      { error: 'must have exactly one of "event", "seconds" and "until"' },
    ),
    z.refine(({ event, match, timeout }) => event !== undefined || (match ?? timeout) === undefined, {
      error: '"match" and "timeout" are allowed with "event" only',
    }),
  )
export type GraphWait = z.infer<typeof GraphWait>

/** A question to a person. The answer is the data of the node, or `{"declined": true, "reason": "…"}`. */
export const GraphAsk = z.object({
  /** The question, with placeholders as in `input`. */
  message: z.string().check(z.minLength(1), z.maxLength(10_000)),
  /** JSON Schema of the answer. Default: a text. */
  schema: orAbsent(OutputSchema),
  /** Chat that gets the question. Default: the chat that the run came from, if it came from one. */
  to: orAbsent(ReportTarget),
  /** Seconds after which the node fails with `wait_expired`. Default: it waits until somebody answers. */
  timeout: orAbsent(seconds),
})
export type GraphAsk = z.infer<typeof GraphAsk>

/** A step of a graph: an agent with its task, a function of the server's program, another graph, a wait, or a question. */
export const GraphNode = z
  .object({
    id: Slug,
    /** Id of the agent. Exactly one of `agent`, `function`, `graph`, `wait` and `ask` is present. */
    agent: orAbsent(Slug),
    /** Name of a function that the server's program has defined: `<graph id>/<node id>`. */
    function: orAbsent(FunctionName),
    /** Id of another graph, which gets the task as its input. */
    graph: orAbsent(Slug),
    /** Waits for an event or a time, and uses no worker meanwhile. Not with `map`. */
    wait: orAbsent(GraphWait),
    /** Asks a person, without a model. Not with `map`. */
    ask: orAbsent(GraphAsk),
    /**
     * Runs the node once for each item of a list, with `{{item}}` for the item. The data of the node is the list of results.
     */
    map: orAbsent(GraphMap),
    /**
     * The task. `{{input}}` is replaced by the graph's input, and `{{<node id>}}` by the output of an earlier node. Without
     * a placeholder, the outputs of the nodes before it are added after the task. Default: these outputs.
     */
    input: orAbsent(z.string().check(z.maxLength(100_000))),
    /** Number of retries if the run of the node fails. Default 0. */
    retries: orAbsent(z.int().check(z.gte(0), z.lte(10))),
    /** Default `fail`. */
    on_error: orAbsent(OnNodeError),
  })
  .check(
    z.refine(
      (node) =>
        [node.agent, node.function, node.graph, node.wait, node.ask].filter((each) => each !== undefined)
          .length === 1,
      { error: 'must have exactly one of "agent", "function", "graph", "wait" and "ask"' },
    ),
    z.refine(({ wait, ask, map }) => map === undefined || (wait ?? ask) === undefined, {
      error: '"map" is not allowed with "wait" and "ask"',
    }),
  )
export type GraphNode = z.infer<typeof GraphNode>

const needle = z.string().check(z.minLength(1), z.maxLength(10_000))

/** What the output of `from` has to be like for the edge to be taken. Case does not count; all that is given must hold. */
export const EdgeCondition = z.union([
  /** The same as `contains`. */
  needle,
  z.strictObject({
    contains: orAbsent(needle),
    not_contains: orAbsent(needle),
    /** The whole output, but for blanks around it. */
    equals: orAbsent(needle),
    starts_with: orAbsent(needle),
    /** JSON Schema that the node's data matches: the data of an agent with `output_schema`, or what a function returned. */
    data: orAbsent(OutputSchema),
  }),
])
export type EdgeCondition = z.infer<typeof EdgeCondition>

/** `to` runs behind `from`, and gets its output. */
export const GraphEdge = z.object({ from: Slug, to: Slug, when: orAbsent(EdgeCondition) })
export type GraphEdge = z.infer<typeof GraphEdge>

const shape = {
  nodes: z.array(GraphNode).check(z.minLength(1), z.maxLength(200)),
  edges: z.array(GraphEdge).check(z.maxLength(2000)),
}

const optionalFields = {
  name: shortText(200),
  description: z.string().check(z.maxLength(2000)),
  budget: Budget,
  /** Cron expression. Runs start automatically at these times. */
  schedule: z.string().check(z.maxLength(200)),
  schedule_input: z.string().check(z.maxLength(100_000)),
  schedule_enabled: z.boolean(),
  /** IANA time zone of the schedule. Default: the platform's. */
  timezone: shortText(100),
  catch_up: CatchUp,
  overlap: Overlap,
}

type OptionalFields = typeof optionalFields

// One entry for each field: the mapped types say what Object.fromEntries cannot.
const eachField = (wrap: (schema: z.ZodMiniType) => z.ZodMiniType) =>
  Object.fromEntries(Object.entries(optionalFields).map(([name, schema]) => [name, wrap(schema)]))
const givenFields = eachField(clearable) as {
  [Name in keyof OptionalFields]: Clearable<OptionalFields[Name]>
}
const keptFields = eachField(z.optional) as {
  [Name in keyof OptionalFields]: z.ZodMiniOptional<OptionalFields[Name]>
}

/** A new graph. Without an `id` the platform gives one. */
export const GraphInput = z.object({
  id: orAbsent(Slug),
  nodes: shape.nodes,
  edges: orAbsent(shape.edges),
  ...givenFields,
})
export type GraphInput = z.infer<typeof GraphInput>

/**
 * A change of a graph: absent fields keep their value, `null` and the empty text clear it; nodes there have to be. An `id` may stand in it, so that
 * a graph can be sent back as it was given; another one than its own is refused.
 */
export const GraphPatch = z.object({
  id: orAbsent(Slug),
  nodes: z.optional(shape.nodes),
  edges: clearable(shape.edges),
  ...givenFields,
})
export type GraphPatch = z.infer<typeof GraphPatch>

/** Agents in dependency order. */
export const Graph = z.object({
  id: Slug,
  ...shape,
  ...keptFields,
  schedule_enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Graph = z.infer<typeof Graph>

/** What a graph is run with. */
export const GraphRunRequest = z.object({
  graph_id: Slug,
  input: z.string().check(z.maxLength(1_000_000)),
  user_id: orAbsent(CustomId),
  budget: orAbsent(Budget),
  /** Returned with the run and the runs of its nodes. At most 65,536 characters as JSON. */
  metadata: orAbsent(GivenMetadata),
  /** A later request with the same key returns the same run. */
  idempotency_key: orAbsent(CustomId),
})
export type GraphRunRequest = z.infer<typeof GraphRunRequest>

/** How a node ended. */
export const NodeResult = z.object({
  /** Id of the node. For an item of a node with `map`, the id is followed by `.` and the index of the item, from 0. */
  node_id: Slug,
  /** What ran: one of `agent_id`, `function` and `graph_id`. Absent for a node that waited or asked. */
  agent_id: z.optional(Slug),
  function: z.optional(z.string()),
  graph_id: z.optional(Slug),
  success: z.boolean(),
  status: z.enum(['completed', 'failed', 'skipped']),
  output: z.string(),
  /** Structured output of an agent with `output_schema`, return value of a function, list of results with `map`, payload of an event, or a person's answer. */
  data: z.optional(Json),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
  /** Run of the agent or graph. Absent if the node was skipped, and for functions. */
  run_id: z.optional(PlatformId),
  /** Number of attempts. 0 if the node was skipped. */
  attempts: z.int(),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
})
export type NodeResult = z.infer<typeof NodeResult>

/** Why the run of a graph stopped. */
export const GraphStopReason = z.enum(['done', 'waiting', 'approval', 'cancelled', 'error'])
export type GraphStopReason = z.infer<typeof GraphStopReason>

/** How a graph's run ended. */
export const GraphRunResult = z.object({
  /** Whether no node failed so far. */
  success: z.boolean(),
  /** Why the run stopped. Absent for runs that ended before 0.1. `approval`, `waiting`: it waits, for an approval or for other things. */
  stop_reason: z.optional(GraphStopReason),
  /** What the runs of its nodes and the graph itself wait for; present when the run waits. */
  waits: z.optional(z.array(Wait)),
  /** Text of the last node. If there are several last nodes, their texts in the order of the nodes. */
  output: z.string(),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
  /** Outputs of the completed nodes, by node id. */
  outputs: z.record(z.string(), z.string()),
  run_id: PlatformId,
  graph_id: Slug,
  /** In the order of the nodes. */
  node_results: z.array(NodeResult),
  usage: Usage,
})
export type GraphRunResult = z.infer<typeof GraphRunResult>
