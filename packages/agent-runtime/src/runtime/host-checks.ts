import {
  AgentInput,
  AgentPatch,
  ApprovalDecision,
  ChannelMessageDecision,
  ChannelSenderChange,
  ChannelSenderId,
  ChannelSendRequest,
  ChannelRoutes,
  GraphInput,
  GraphPatch,
  GraphRunRequest,
  McpAuthorizationResponse,
  McpAuthorizationRequest,
  McpServerInput,
  McpServerName,
  MemoryInput,
  MemorySearch,
  MessageInput,
  ModelProviderInput,
  PairingRequest,
  RunRequest,
  TaskRequest,
  NewWebhook,
  WebhookUpdate,
} from '@homeward/contract/agent-platform'
import { parseInput } from '../host-input/parse-input.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { LoadService, RuntimeServices } from './services.ts'

type Checked =
  | 'agents'
  | 'runs'
  | 'tasks'
  | 'graphs'
  | 'channels'
  | 'conversations'
  | 'memory'
  | 'models'
  | 'webhooks'
  | 'mcp'
type Checks<Name extends keyof RuntimeServices> = {
  readonly [Each in Name]: (service: RuntimeServices[Each]) => RuntimeServices[Each]
}

/**
 * The services as a host's own code calls them: requests and inputs are parsed by the schemas of the REST interface. That
 * interface itself has parsed them already, and calls the services behind these.
 */
export const hostChecks: Checks<Checked> = {
  agents: (agents) => ({
    ...agents,
    create: async (input, signal) =>
      agents.create(parseInput(AgentInput, input, 'Creating an agent'), signal),
    update: async (id, patch, signal) =>
      agents.update(id, parseInput(AgentPatch, patch, 'Changing an agent'), signal),
  }),
  runs: (runs) => ({
    ...runs,
    start: async (request, options) =>
      runs.start(parseInput(RunRequest, request, 'Running an agent'), options),
    // anything but `approve` would be a refusal
    decideApproval: async (runId, approvalId, decision, decidedBy) =>
      runs.decideApproval(
        runId,
        approvalId,
        parseInput(ApprovalDecision, decision, 'Deciding an approval'),
        decidedBy?.slice(0, 200),
      ),
  }),
  tasks: (tasks) => ({
    ...tasks,
    create: async (request, signal) =>
      tasks.create(parseInput(TaskRequest, request, 'Creating a task'), signal),
  }),
  graphs: (graphs) => ({
    ...graphs,
    create: async (input, signal) => graphs.create(parseInput(GraphInput, input, 'Creating a graph'), signal),
    update: async (id, patch, signal) =>
      graphs.update(id, parseInput(GraphPatch, patch, 'Changing a graph'), signal),
    start: async (request, options) =>
      graphs.start(parseInput(GraphRunRequest, request, 'Running a graph'), options),
    run: async (request, options) =>
      graphs.run(parseInput(GraphRunRequest, request, 'Running a graph'), options),
  }),
  channels: (channels) => ({
    ...channels,
    // anything but `resend` would give the answer up
    resolve: async (channel, messageId, decision) => {
      const checked = parseInput(ChannelMessageDecision, { decision }, 'Resolving an answer')
      return channels.resolve(channel, messageId, checked.decision)
    },
    setRoutes: async (channel, routes) =>
      channels.setRoutes(
        channel,
        parseInput(ChannelRoutes, { routes: [...routes] }, 'Setting routes').routes,
      ),
    send: async (channel, message) =>
      channels.send(channel, parseInput(ChannelSendRequest, message, 'Sending a message')),
    setSender: async (channel, senderId, change) => {
      const attempt = 'Changing a sender'
      parseInput(ChannelSenderId, senderId, attempt)
      return channels.setSender(channel, senderId, parseInput(ChannelSenderChange, change, attempt))
    },
    pair: async (channel, code) =>
      channels.pair(channel, parseInput(PairingRequest, { code }, 'Pairing a sender').code),
  }),
  conversations: (conversations) => ({
    ...conversations,
    append: async (input, signal) =>
      conversations.append(parseInput(MessageInput, input, 'Appending a message'), signal),
  }),
  memory: (memory) => ({
    ...memory,
    async write(input, options) {
      const trust: unknown = options?.trust
      if (trust !== undefined && trust !== 'untrusted')
        throw new RuntimeError('validation_error', 'Writing a memory failed: "trust" must be "untrusted".')
      return memory.write(parseInput(MemoryInput, input, 'Writing a memory'), options)
    },
    search: async (query, signal) =>
      memory.search(parseInput(MemorySearch, query, 'Searching memories'), signal),
  }),
  webhooks: (webhooks) => ({
    ...webhooks,
    create: async (input) => webhooks.create(parseInput(NewWebhook, input, 'Creating the webhook')),
    update: async (id, changes) =>
      webhooks.update(id, parseInput(WebhookUpdate, changes, 'Changing the webhook')),
  }),
  mcp: (mcp) => ({
    ...mcp,
    save: async (name, input) => {
      const attempt = 'Saving the MCP server'
      return mcp.save(parseInput(McpServerName, name, attempt), parseInput(McpServerInput, input, attempt))
    },
    authorize: async (name, request) =>
      mcp.authorize(name, parseInput(McpAuthorizationRequest, request, 'Authorizing an MCP server')),
    finishAuthorization: async (answer) =>
      mcp.finishAuthorization(parseInput(McpAuthorizationResponse, answer, 'Authorizing an MCP server')),
  }),
  models: (models) => ({
    ...models,
    saveProvider: async (name, input) =>
      models.saveProvider(name, parseInput(ModelProviderInput, input, 'Saving the model provider')),
  }),
}

/** The same services with those checks. */
export function withHostChecks(load: LoadService): LoadService {
  const checks: Partial<Checks<keyof RuntimeServices>> = hostChecks
  const known = new Map<object, unknown>()
  return async (name) => {
    const service = await load(name)
    const checked = known.get(service) ?? checks[name]?.(service) ?? service
    known.set(service, checked)
    return checked as typeof service // checks keep the type of what they check
  }
}
