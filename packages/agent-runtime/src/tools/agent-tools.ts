import type { Agent } from '@homeward/contract/agent-platform'
import type { RunContext } from '../ports/run-context.ts'
import type { Tool } from '../ports/tool.ts'
import type { SkillTools } from '../skills/skill-library.ts'
import type { SandboxState } from './exec/sandbox.ts'

/** What one run may call. It stays as it is until the run ends. */
export interface AgentToolset {
  readonly tools: readonly Tool[]
  /** Ids of tools that the prompt does not hold: the model finds them with `tool_search`. @default none */
  readonly deferred?: ReadonlySet<string>
  /** What the system prompt says about skills: their names and descriptions, until the model opens one (A15). */
  readonly instructions: string
  /** Collections that the agent names and that do not exist. @default none */
  readonly missingCollections?: readonly string[]
  /** MCP servers that list no tools before the user of the run has logged in. @default none */
  readonly logins?: readonly string[]
}

/** Tools for the runs of agents: see `createAgentTools`. */
export interface AgentTools extends SkillTools {
  /**
   * Tools of the agent's own skills, the built-in ones, its MCP servers' and the host's, narrowed by `agent.tools`.
   * What cannot be used is left out; the instructions name what is missing.
   *
   * @param run The run, with the id of its conversation as it is stored: it may belong to a chat.
   */
  forRun(agent: Agent, signal: AbortSignal, run: RunContext): Promise<AgentToolset>
  /** The sandbox of exec tools. Found out by a trial run, once. */
  sandbox(): Promise<SandboxState>
  /** Ends MCP servers, and waits for programs, which end by their own signal. Safe to call twice. */
  close(): Promise<void>
}
