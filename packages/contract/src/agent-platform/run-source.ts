import * as z from 'zod/mini'

/**
 * How a run was started.
 *
 * - `chat`: a message in the chat of a page or a program.
 * - `test`: a test of an agent, beside its form.
 * - `page`: by hand on a page, for example a graph.
 * - `api`: any other request, or a call of the library.
 * - `openai`: the OpenAI-compatible endpoint.
 * - `mcp`: an MCP client.
 * - `task`: a task of the queue.
 * - `schedule`: a schedule, also one that a person ran by hand.
 * - `channel`: a message on a messaging platform.
 * - `trigger`: a call of another program, by a trigger.
 * - `graph`: a node of a graph.
 * - `agent`: a call of another agent.
 * - `rerun`: again, after another run.
 * - `background`: an agent in the background has ended, whose result the run reads.
 * - `undo`: to undo the calls of another run.
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

/** The sources that a request may name itself, with the header `X-Homeward-Source`. */
export const RunSourceInput = z.enum(['chat', 'test', 'page', 'api', 'mcp'])
export type RunSourceInput = z.infer<typeof RunSourceInput>
