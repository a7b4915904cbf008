import * as contract from '@homeward/contract/agent-platform'
import type { Operation } from '@homeward/contract'
import { agentPlatformExamples } from '@homeward/contract/examples'
import { exampleNote } from './markdown.ts'
import { openAiApi } from './openai-sections.ts'
import { createOperationSections, type DocumentedInterface } from './operation-sections.ts'
import { journalSections, settingSections, streamSections } from './platform-sections.ts'
import { type Subject, subjectOf, subjectPages } from './subject-pages.ts'

const { Agent, Approval, Conversation, MemorySearchResult, InstalledSkill, Json } = contract
const { BrokenSkill, JournalEvent, Message, ModelSettings, Run, RunLimits, RunRequest, RunResult, RunStep } =
  contract
const { Budget, ContextLimits, Graph, GraphNode, GraphEdge, GraphRunRequest, GraphRunResult, NodeResult } =
  contract
const { Task, TaskRequest, TaskFailure, ScheduleState } = contract
const { ChannelStatus, ChannelMessage, Skill, SkillDetails, Usage } = contract

const shapes = {
  Agent,
  RunLimits,
  ModelSettings,
  ContextLimits,
  RunRequest,
  RunResult,
  RunStep,
  Usage,
  Run,
  Task,
  TaskRequest,
  TaskFailure,
  Graph,
  GraphNode,
  GraphEdge,
  GraphRunRequest,
  GraphRunResult,
  NodeResult,
  ScheduleState,
  ChannelStatus,
  ChannelMessage,
  Budget,
  Approval,
  Conversation,
  Message,
  MemorySearchResult,
  Skill,
  SkillDetails,
  BrokenSkill,
  InstalledSkill,
  JournalEvent,
}

/** Rows of the table by what they are about. */
const groups = [
  'agent',
  'run',
  'task',
  'graph',
  'schedule',
  'trigger',
  'channel',
  'conversation',
  'memory',
  'skill',
  'platform',
]

const shown: DocumentedInterface = {
  title: 'Agent platform',
  operations: contract.agentPlatformOperations,
  examples: agentPlatformExamples,
  errors: contract.platformErrors,
  shapes: { ...shapes, Json },
  sources: [
    'operations',
    'agent-operations',
    'run-operations',
    'channel-operations',
    'conversation-operations',
    'skill-operations',
    'agent',
    'budget',
    'channel',
    'conversation',
    'file',
    'graph',
    'journal-event',
    'memory',
    'model-settings',
    'run',
    'schedule',
    'skill',
    'source',
    'stream',
    'task',
    'trigger',
    'usage',
  ].map((name) => `packages/contract/src/agent-platform/${name}.ts`),
  tables: groups.map((group) => `${group}Operations`),
  mixins: {
    Agent: ['optionalFields'],
    AgentInput: ['optionalFields'],
    AgentPatch: ['optionalFields'],
    Graph: ['shape', 'optionalFields'],
    GraphInput: ['shape', 'optionalFields'],
    GraphPatch: ['shape', 'optionalFields'],
    SkillDetails: ['Skill'],
  },
  inputs: [
    'RunRequest',
    'RunLimits',
    'ModelSettings',
    'ContextLimits',
    'TaskRequest',
    'GraphRunRequest',
    'GraphNode',
    'GraphEdge',
    'Budget',
  ],
  bodies: { updateSettings: 'any of the [settings](#settings); `null` and the empty text clear one.' },
}

/** The pages of the API. */
const subjects: readonly Subject[] = [
  {
    file: 'agents',
    title: 'Agents',
    about: 'Create agents, change them, and return to an earlier version.',
    paths: ['/api/agents'],
    shapes: ['Agent', 'ModelSettings', 'RunLimits', 'ContextLimits', 'Budget'],
  },
  {
    file: 'runs',
    title: 'Runs',
    about: 'Run an agent, read its runs, approve calls, answer waits, undo calls and give feedback.',
    paths: ['/api/agents/run', '/api/runs', '/api/waits', '/api/files'],
    shapes: ['RunRequest', 'RunResult', 'RunStep', 'Usage', 'Run', 'Approval'],
  },
  {
    file: 'stream',
    title: 'Stream of a run',
    about: 'The events that a run sends while it works.',
    paths: [],
    sections: () => streamSections({ ...shapes, Json }),
  },
  {
    file: 'what-if',
    title: 'What-if',
    about: 'Run the earlier tasks of an agent again with other settings, and compare the results.',
    paths: ['/api/agents/{id}/what-if', '/api/what-ifs'],
  },
  {
    file: 'tasks',
    title: 'Tasks',
    about: 'Put work into the queue, follow it, cancel it and retry it.',
    paths: ['/api/tasks'],
    shapes: ['Task', 'TaskRequest', 'TaskFailure'],
  },
  {
    file: 'graphs',
    title: 'Graphs',
    about: 'Store workflows of agents and functions, and run them.',
    paths: ['/api/graphs'],
    shapes: ['Graph', 'GraphNode', 'GraphEdge', 'GraphRunRequest', 'GraphRunResult', 'NodeResult'],
  },
  {
    file: 'schedules',
    title: 'Schedules',
    about: 'Run agents and graphs at fixed times.',
    paths: ['/api/schedules'],
    shapes: ['ScheduleState'],
  },
  {
    file: 'conversations',
    title: 'Conversations and chat',
    about: 'List conversations and their messages, and connect a chat page.',
    paths: ['/api/conversations', '/api/chat', '/agui'],
    shapes: ['Conversation', 'Message'],
  },
  {
    file: 'memory',
    title: 'Memory',
    about: 'Write, search and delete the memories of agents.',
    paths: ['/api/memory'],
    shapes: ['MemorySearchResult'],
  },
  {
    file: 'collections',
    title: 'Collections of documents',
    about: 'Store documents that agents search and cite.',
    paths: ['/api/collections'],
  },
  {
    file: 'skills',
    title: 'Skills',
    about: 'Install skills, upload your own and set their configuration.',
    paths: ['/api/skills'],
    shapes: ['Skill', 'SkillDetails', 'BrokenSkill', 'InstalledSkill'],
  },
  {
    file: 'channels',
    title: 'Channels',
    about: 'Connect messengers, follow their messages and decide who may write.',
    paths: ['/api/channels'],
    shapes: ['ChannelStatus', 'ChannelMessage'],
  },
  {
    file: 'models',
    title: 'Models and providers',
    about: 'List models, and add your own providers.',
    paths: ['/api/models'],
  },
  {
    file: 'mcp-servers',
    title: 'MCP servers',
    about: 'Connect MCP servers whose tools agents use, and sign in to them.',
    paths: ['/api/mcp', '/mcp-servers'],
  },
  {
    file: 'usage',
    title: 'Usage and prices',
    about: 'Read the tokens and the cost of runs, and set the prices of models.',
    paths: ['/api/usage', '/api/prices'],
  },
  {
    file: 'triggers',
    title: 'Triggers and signals',
    about: 'Start runs by requests of other services, and wake runs that wait.',
    paths: ['/api/triggers', '/api/hooks', '/api/signals'],
  },
  {
    file: 'webhooks',
    title: 'Webhooks',
    about: 'Send events to your own servers.',
    paths: ['/api/webhooks'],
  },
  {
    file: 'access',
    title: 'Tokens and audit',
    about: 'Create access tokens, and read who changed things.',
    paths: ['/api/tokens', '/api/audit'],
  },
  {
    file: 'journal',
    title: 'Journal',
    about: 'Read the events of the whole platform.',
    paths: ['/api/logs'],
    shapes: ['JournalEvent'],
    sections: journalSections,
  },
  {
    file: 'settings',
    title: 'Settings',
    about: 'Read and change the settings of the server.',
    paths: ['/api/settings'],
    sections: settingSections,
  },
  {
    file: 'server',
    title: 'Health, metrics and MCP',
    about: 'Check the server, read its metrics, and use agents from MCP clients.',
    paths: ['/health', '/metrics', '/mcp'],
  },
  {
    file: 'openai',
    title: 'OpenAI-compatible endpoint',
    about: 'Use agents as models from every program that supports the OpenAI API.',
    paths: ['/v1'],
    sections: () => [openAiApi.errorNote],
  },
]

/** The index and the pages of the agent platform's API, from the contract. */
export function agentPlatformPages(): Map<string, string> {
  const own = createOperationSections(shown)
  const openAi = createOperationSections(openAiApi.shown)
  return subjectPages({
    index: 'agent-platform',
    folder: 'platform',
    title: 'Agent platform',
    intro: [
      'The HTTP API of the agent platform, with a page for each subject. The pages are generated from ' +
        '[the table of operations](../../packages/contract/src/agent-platform/operations.ts). `createAgentPlatformDocument()` ' +
        'returns the same as an OpenAPI 3.1 document.',
      'Error bodies are in [Errors](errors.md#agent-platform-over-http), sizes in [Operations](../guides/operations.md#agents), ' +
        'the files of a skill in [Skills](skills.md).',
      'Bodies are JSON in UTF-8 unless stated. Both sides ignore unknown fields, but an unknown setting is an error. ' +
        'Times are ISO 8601 in UTC. Where a field may be absent, `null` counts as absent.',
      'If there are more rows, `next_cursor` is present: pass it as `cursor` to get the next page. Without `limit`, a page has ' +
        '100 rows. Each `GET` operation also supports `HEAD`.',
      'The ids of agents and skills are chosen by people: 1 to 64 letters, digits, `_`, `-` and `.`, starting with a letter ' +
        'or digit.',
      'Your app decides who may call: see [Access](../guides/serve-agents.md#who-may-call).',
      exampleNote,
    ],
    operations: { ...contract.agentPlatformOperations, ...contract.openaiOperations },
    subjects,
    made: { operations: new Map([...own.operations, ...openAi.operations]), shapes: own.shapes },
  })
}

/** Where an operation stands, seen from `docs/reference`. */
export const platformPageOf = (operation: Operation) => `platform/${subjectOf(subjects, operation).file}.md`
