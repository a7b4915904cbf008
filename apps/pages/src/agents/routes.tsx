import { lazyPage, type PageRoute } from '../shell/page-routes.tsx'

const HomePage = lazyPage(async () => (await import('../home/home-page.tsx')).HomePage)
const ChatPage = lazyPage(async () => (await import('./chat/chat-page.tsx')).ChatPage)
const ConversationsPage = lazyPage(
  async () => (await import('./conversations/conversations-page.tsx')).ConversationsPage,
)
const ConversationPage = lazyPage(
  async () => (await import('./conversations/conversation-page.tsx')).ConversationPage,
)
const ActivityPage = lazyPage(async () => (await import('./activity/activity-page.tsx')).ActivityPage)
const RunPage = lazyPage(async () => (await import('./runs/run-page.tsx')).RunPage)
const MemoryPage = lazyPage(async () => (await import('./memory/memory-page.tsx')).MemoryPage)
const UsagePage = lazyPage(async () => (await import('./usage/usage-page.tsx')).UsagePage)
const AgentsPage = lazyPage(async () => (await import('./agents/agents-page.tsx')).AgentsPage)
const NewAgentPage = lazyPage(async () => (await import('./agents/new-agent-page.tsx')).NewAgentPage)
const AgentPage = lazyPage(async () => (await import('./agents/agent-page.tsx')).AgentPage)
const SchedulePage = lazyPage(async () => (await import('./schedules/schedule-page.tsx')).SchedulePage)
const SchedulesPage = lazyPage(async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage)
const SkillsPage = lazyPage(async () => (await import('./skills/skills-page.tsx')).SkillsPage)
const SkillPage = lazyPage(async () => (await import('./skills/skill-page.tsx')).SkillPage)
const ChannelsPage = lazyPage(async () => (await import('./channels/channels-page.tsx')).ChannelsPage)
const ChannelPage = lazyPage(async () => (await import('./channels/channel-page.tsx')).ChannelPage)
const McpServersPage = lazyPage(async () => (await import('./mcp/mcp-servers-page.tsx')).McpServersPage)
const McpCallbackPage = lazyPage(async () => (await import('./mcp/mcp-callback-page.tsx')).McpCallbackPage)
const SettingsPage = lazyPage(async () => (await import('./settings/settings-page.tsx')).SettingsPage)
const AccessTokensPage = lazyPage(
  async () => (await import('./access-tokens/access-tokens-page.tsx')).AccessTokensPage,
)
const PricesPage = lazyPage(async () => (await import('./prices/prices-page.tsx')).PricesPage)
const AuditPage = lazyPage(async () => (await import('./audit/audit-page.tsx')).AuditPage)
const TasksPage = lazyPage(async () => (await import('./tasks/tasks-page.tsx')).TasksPage)
const NewTaskPage = lazyPage(async () => (await import('./tasks/new-task-page.tsx')).NewTaskPage)
const TaskPage = lazyPage(async () => (await import('./tasks/task-page.tsx')).TaskPage)
const GraphsPage = lazyPage(async () => (await import('./graphs/graphs-page.tsx')).GraphsPage)
const NewGraphPage = lazyPage(async () => (await import('./graphs/new-graph-page.tsx')).NewGraphPage)
const GraphPage = lazyPage(async () => (await import('./graphs/graph-page.tsx')).GraphPage)
const EditGraphPage = lazyPage(async () => (await import('./graphs/edit-graph-page.tsx')).EditGraphPage)
const LogsPage = lazyPage(async () => (await import('./logs/logs-page.tsx')).LogsPage)
const WebhooksPage = lazyPage(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage)

/** The pages of agents, by the path of the address. */
export const agentRoutes: readonly PageRoute[] = [
  ['/', HomePage],
  // One route: two would be two pages, and the first message of a chat, whose address gets its agent then, would be lost.
  ['/chat/:agentId?', ChatPage],
  ['/conversations', ConversationsPage],
  ['/conversations/:id', ConversationPage],
  ['/runs', ActivityPage],
  ['/runs/:id', RunPage],
  ['/memory', MemoryPage],
  ['/usage', UsagePage],
  ['/agents', AgentsPage],
  ['/agents/_new', NewAgentPage],
  ['/agents/:id', AgentPage],
  ['/schedules', SchedulesPage],
  ['/schedules/:id', SchedulePage],
  ['/skills', SkillsPage],
  ['/skills/:id', SkillPage],
  ['/channels', ChannelsPage],
  ['/channels/:id', ChannelPage],
  ['/mcp-servers', McpServersPage],
  ['/mcp-servers/callback', McpCallbackPage],
  ['/settings/webhooks', WebhooksPage],
  ['/settings', SettingsPage],
  ['/settings/access-tokens', AccessTokensPage],
  ['/settings/prices', PricesPage],
  ['/settings/audit', AuditPage],
  ['/tasks', TasksPage],
  ['/tasks/new', NewTaskPage],
  ['/tasks/:id', TaskPage],
  ['/graphs', GraphsPage],
  ['/graphs/_new', NewGraphPage],
  ['/graphs/:id', GraphPage],
  ['/graphs/:id/edit', EditGraphPage],
  ['/logs', LogsPage],
]
