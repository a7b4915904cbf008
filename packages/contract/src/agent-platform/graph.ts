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
 * Handling of the nodes after a failed node.
 *
 * - `fail`: all of them are skipped.
 * - `skip`: the failed node counts as skipped, so nodes with another incoming edge still run.
 * - `continue`: they run and receive the failure.
 */
export const OnNodeError = z.enum(['fail', 'skip', 'continue'])
export type OnNodeError = z.infer<typeof OnNodeError>

/** Runs a node once for each item of a list. */
export const GraphMap = z.object({
  /** Id of an earlier node whose data is or contains the list. `input`: the graph's input, as JSON. */
  over: Slug,
  /** JSON Pointer to the list in that data, such as `/cities`. Default: the data itself is the list. */
  path: orAbsent(
    z.string().check(z.maxLength(500), z.regex(/^(?:\/[^/]*)+$/, 'must be a JSON Pointer such as "/cities"')),
  ),
  /** Maximum number of parallel items. Default 4. */
  concurrency: orAbsent(z.int().check(z.gte(1), z.lte(32))),
})
export type GraphMap = z.infer<typeof GraphMap>

const seconds = z.int().check(z.gte(1), z.lte(31_536_000))

/** Event or time that a node waits for. Exactly one of `event`, `seconds` and `until` is required. */
export const GraphWait = z
  .object({
    /** Name of the event. Its payload is the data of the node. */
    event: orAbsent(shortText(200)),
    /** JSON Schema of the payload. Only with `event`. */
    match: orAbsent(OutputSchema),
    /** Seconds after which the node fails with `wait_expired`. Only with `event`. Default: no limit. */
    timeout: orAbsent(seconds),
    /** Number of seconds to wait. */
    seconds: orAbsent(seconds),
    /**
     * Time at which the node completes, as ISO 8601, with placeholders as in `input`. A time in the past completes
     * the node at once.
     */
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

/** A question to a person. The data of the node is the answer, or `{"declined": true, "reason": "…"}`. */
export const GraphAsk = z.object({
  /** The question, with placeholders as in `input`. */
  message: z.string().check(z.minLength(1), z.maxLength(10_000)),
  /** JSON Schema of the answer. Default: a string. */
  schema: orAbsent(OutputSchema),
  /** Chat that receives the question. Default: the chat that the run came from, if any. */
  to: orAbsent(ReportTarget),
  /** Seconds after which the node fails with `wait_expired`. Default: no limit. */
  timeout: orAbsent(seconds),
})
export type GraphAsk = z.infer<typeof GraphAsk>

/** A step of a graph: an agent with its task, a function of the server's program, another graph, a wait, or a question. */
export const GraphNode = z
  .object({
    id: Slug,
    /** Id of the agent. Exactly one of `agent`, `function`, `graph`, `wait` and `ask` is present. */
    agent: orAbsent(Slug),
    /** Name of a function that your app has defined: `<graph id>/<node id>`. */
    function: orAbsent(FunctionName),
    /** Id of another graph, which receives the task as its input. */
    graph: orAbsent(Slug),
    /** Waits for an event or a time without using a worker. Not allowed with `map`. */
    wait: orAbsent(GraphWait),
    /** Asks a person, without a model. Not allowed with `map`. */
    ask: orAbsent(GraphAsk),
    /**
     * Runs the node once for each item of a list, with `{{item}}` for the item. The data of the node is the list of results.
     */
    map: orAbsent(GraphMap),
    /**
     * The task. `{{input}}` is replaced by the graph's input, and `{{<node id>}}` by the output of an earlier node.
     * Without a placeholder, the outputs of the preceding nodes are added after the task. Default: these outputs.
     */
    input: orAbsent(z.string().check(z.maxLength(100_000))),
    /** Number of retries if the run of the node fails. Default 0. */
    retries: orAbsent(z.int().check(z.gte(0), z.lte(10))),
    /** How later nodes are handled if this node fails. Default `fail`. */
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

/** Condition on the output of `from` for the edge to be taken. Case is ignored. All given parts must be met. */
export const EdgeCondition = z.union([
  /** The same as `contains`. */
  needle,
  z.strictObject({
    contains: orAbsent(needle),
    not_contains: orAbsent(needle),
    /** The whole output without outer white space. */
    equals: orAbsent(needle),
    starts_with: orAbsent(needle),
    /** JSON Schema that the node's data matches: the data of an agent with `output_schema`, or what a function returned. */
    data: orAbsent(OutputSchema),
  }),
])
export type EdgeCondition = z.infer<typeof EdgeCondition>

/** An edge: the node `to` runs after the node `from` and receives its output. */
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

/** A new graph. Without an `id`, the platform creates one. */
export const GraphInput = z.object({
  id: orAbsent(Slug),
  nodes: shape.nodes,
  edges: orAbsent(shape.edges),
  ...givenFields,
})
export type GraphInput = z.infer<typeof GraphInput>

/**
 * A change of a graph. Absent fields keep their value; `null` and the empty string clear it. `nodes` cannot be
 * cleared.
 *
 * The graph's own `id` may be included, so that you can send a graph back unchanged. Any other `id` is rejected.
 */
export const GraphPatch = z.object({
  id: orAbsent(Slug),
  nodes: z.optional(shape.nodes),
  edges: clearable(shape.edges),
  ...givenFields,
})
export type GraphPatch = z.infer<typeof GraphPatch>

/** A graph of agents, functions, waits and questions, run in the order of their dependencies. */
export const Graph = z.object({
  id: Slug,
  ...shape,
  ...keptFields,
  schedule_enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Graph = z.infer<typeof Graph>

/** Request to run a graph. */
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

/** Outcome of a node. */
export const NodeResult = z.object({
  /** Id of the node. For an item of a node with `map`, the id is followed by `.` and the index of the item, from 0. */
  node_id: Slug,
  /** Agent of the node: one of `agent_id`, `function` and `graph_id`. Absent for a wait or a question. */
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

/** Reason why the run of a graph stopped. */
export const GraphStopReason = z.enum(['done', 'waiting', 'approval', 'cancelled', 'error'])
export type GraphStopReason = z.infer<typeof GraphStopReason>

/** Outcome of a graph run. */
export const GraphRunResult = z.object({
  /** Whether no node has failed so far. */
  success: z.boolean(),
  /**
   * Reason why the run stopped. `approval`, `waiting`: the run waits for an approval or something else. Absent for
   * runs that ended before 0.1.
   */
  stop_reason: z.optional(GraphStopReason),
  /** Waits of the graph and of its nodes' runs. Present while the run waits. */
  waits: z.optional(z.array(Wait)),
  /** Text of the last node. If there are several last nodes, their texts in the order of the nodes. */
  output: z.string(),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
  /** Outputs of the completed nodes, by node id. */
  outputs: z.record(z.string(), z.string()),
  run_id: PlatformId,
  graph_id: Slug,
  /** Results of the nodes, in the order of the nodes. */
  node_results: z.array(NodeResult),
  usage: Usage,
})
export type GraphRunResult = z.infer<typeof GraphRunResult>
