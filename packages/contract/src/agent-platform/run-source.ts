import * as z from 'zod/mini'

/**
 * Origin of a run.
 *
 * - `chat`: a message in the chat of a page or a program.
 * - `test`: a test of an agent, beside its form.
 * - `page`: manually on a page, for example a graph.
 * - `api`: any other request, or a call of the library.
 * - `openai`: the OpenAI-compatible endpoint.
 * - `mcp`: an MCP client.
 * - `task`: a task of the queue.
 * - `schedule`: a schedule, including a manual run of it.
 * - `channel`: a message on a messaging platform.
 * - `trigger`: a call of another program, by a trigger.
 * - `graph`: a node of a graph.
 * - `agent`: a call of another agent.
 * - `rerun`: a repetition of another run.
 * - `background`: the end of an agent in the background, whose result the run reads.
 * - `undo`: an undo of another run's calls.
 */
export const RunSource = z.enum([
  'chat',
  'test',
  'page',
  'api',
  'openai',
  'mcp',
  'task',
  'schedule',
  'channel',
  'trigger',
  'graph',
  'agent',
  'rerun',
  'background',
  'undo',
])
export type RunSource = z.infer<typeof RunSource>

const sourceName = RunSource.options.join('|')
/** One or more sources as a filter, with commas between them. */
export const RunSources = z
  .string()
  .check(
    z.maxLength(200),
    z.regex(
      new RegExp(`^(?:${sourceName})(?:,(?:${sourceName}))*$`),
      'must be sources of runs, separated by commas',
    ),
  )

/** Sources that a request may set with the header `X-Homeward-Source`. */
export const RunSourceInput = z.enum(['chat', 'test', 'page', 'api', 'mcp'])
export type RunSourceInput = z.infer<typeof RunSourceInput>
