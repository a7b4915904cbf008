import { truncateText, maxResultCharacters, truncateRows } from '@homeward/contract/mcp'
import { PlatformId, Slug } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { defineAgentTool } from './agent-tools.ts'
import { taskFields } from './agent-tools.ts'
import { continueRun, runAgent } from './run-agent.ts'
import { questionsOf } from './ask-person.ts'
import { describeRun } from './run-view.ts'

/** The tool that runs any agent. */
export const runAgentTool = defineAgentTool({
  name: 'run_agent',
  title: 'Run an agent',
  description:
    'Gives an agent a task and answers with its output. A run that takes long, or waits for approval, answers with its run_id: get_run gives what becomes of it.',
  hints: { readOnlyHint: false, openWorldHint: true },
  inputSchema: z.object({
    agent_id: Slug.check(z.describe('Id of the agent, as list_agents gives it.')),
    ...taskFields,
  }),
  execute: runAgent,
})

/** The tool that tells what became of a run. */
export const getRunTool = defineAgentTool({
  name: 'get_run',
  title: 'Get a run',
  description: 'Gives the state of a run, its output, and what it waits for.',
  // what the user answers to the questions of a run is the act of the user
  hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    run_id: PlatformId,
    offset: z.optional(
      z
        .int()
        .check(
          z.gte(0),
          z.describe('First character of the output to give: `next_offset` of the answer before.'),
        ),
    ),
  }),
  async execute({ run_id, offset }, context) {
    const { client, signal, answered } = context
    if (answered?.state) return continueRun(answered, context)
    const { run } = await client.getRun({ params: { id: run_id }, signal })
    return questionsOf(run, context) ?? describeRun(run, context, offset)
  },
})

/** The tool by which a person's decision reaches a run. */
export const decideApprovalTool = defineAgentTool({
  name: 'decide_approval',
  title: 'Decide an approval',
  description:
    "Approves or denies a tool call that a run waits for. Call it only with the user's decision about exactly this call. Then the run continues: get_run gives its result.",
  hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  inputSchema: z.object({
    run_id: PlatformId,
    approval_id: PlatformId,
    decision: z.enum(['approve', 'deny']),
  }),
  async execute({ run_id, approval_id, decision }, { client, signal }) {
    const { approval } = await client.decideApproval({
      params: { id: run_id, approval_id },
      body: { decision },
      signal,
    })
    const { id, tool, status } = approval
    return {
      value: { run_id, approval_id: id, tool, status, next: 'Call get_run to see what became of the run.' },
    }
  },
})

/** The tool that searches what agents remember. */
export const searchMemoryTool = defineAgentTool({
  name: 'search_memory',
  title: 'Search memories',
  description: 'Searches what the agents remember, best match first.',
  hints: { readOnlyHint: true, openWorldHint: false },
  inputSchema: z.object({
    q: z.string().check(z.minLength(1), z.maxLength(10_000), z.describe('What to look for.')),
    agent_id: z.optional(Slug.check(z.describe('Only what this agent remembers.'))),
  }),
  async execute({ q, agent_id }, { client, signal }) {
    const { results } = await client.searchMemoryByBody({
      body: { q, ...(agent_id !== undefined && { agent_id }) },
      signal,
    })
    const found = results.map(({ id, agent_id: agent, text, created_at, trust }) => ({
      id,
      agent_id: agent,
      text: truncateText(text, 1000),
      created_at,
      ...(trust !== undefined && { trust }),
    }))
    const { rows, left } = truncateRows(found, maxResultCharacters - 300)
    return {
      value: {
        found: results.length,
        memories: [...rows],
        ...(left > 0 && { note: `${left} more memories match. Use a more exact query.` }),
      },
    }
  },
})
