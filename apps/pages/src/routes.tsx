import { lazyPage, moved, type PageRoute } from './shell/page-routes.tsx'

const HelpPage = lazyPage(async () => (await import('./help/help-page.tsx')).HelpPage)

/** All pages, by the path of the address. Each is loaded when it is first opened. */
export const routes: readonly PageRoute[] = [
  ['/', lazyPage(async () => (await import('./home/home-page.tsx')).HomePage)],
  // One route: two would be two pages, and the first message of a chat, whose address gets its agent then, would be lost.
  ['/chat/:agentId?', lazyPage(async () => (await import('./chat/chat-page.tsx')).ChatPage)],
  [
    '/conversations',
    lazyPage(async () => (await import('./conversations/conversations-page.tsx')).ConversationsPage),
  ],
  [
    '/conversations/:id',
    lazyPage(async () => (await import('./conversations/conversation-page.tsx')).ConversationPage),
  ],
  ['/waiting', lazyPage(async () => (await import('./waiting/waiting-page.tsx')).WaitingPage)],
  ['/runs', lazyPage(async () => (await import('./runs/activity-page.tsx')).ActivityPage)],
  ['/runs/:id', lazyPage(async () => (await import('./runs/run-page.tsx')).RunPage)],
  ['/memory', lazyPage(async () => (await import('./memory/memory-page.tsx')).MemoryPage)],
  [
    '/collections',
    lazyPage(async () => (await import('./collections/collections-page.tsx')).CollectionsPage),
  ],
  [
    '/collections/:id',
    lazyPage(async () => (await import('./collections/collection-page.tsx')).CollectionPage),
  ],
  ['/usage', lazyPage(async () => (await import('./usage/usage-page.tsx')).UsagePage)],
  ['/agents', lazyPage(async () => (await import('./agents/agents-page.tsx')).AgentsPage)],
  ['/agents/_new', lazyPage(async () => (await import('./agents/new-agent-page.tsx')).NewAgentPage)],
  ['/agents/:id', lazyPage(async () => (await import('./agents/agent-page.tsx')).AgentPage)],
  ['/agents/:id/users', lazyPage(async () => (await import('./users/users-page.tsx')).UsersPage)],
  ['/schedules', lazyPage(async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage)],
  ['/schedules/:id', lazyPage(async () => (await import('./schedules/schedule-page.tsx')).SchedulePage)],
  ['/skills', lazyPage(async () => (await import('./skills/skills-page.tsx')).SkillsPage)],
  ['/skills/:id', lazyPage(async () => (await import('./skills/skill-page.tsx')).SkillPage)],
  ['/channels', lazyPage(async () => (await import('./channels/channels-page.tsx')).ChannelsPage)],
  ['/channels/:id', lazyPage(async () => (await import('./channels/channel-page.tsx')).ChannelPage)],
  ['/mcp-servers', lazyPage(async () => (await import('./mcp/mcp-servers-page.tsx')).McpServersPage)],
  [
    '/mcp-servers/callback',
    lazyPage(async () => (await import('./mcp/mcp-callback-page.tsx')).McpCallbackPage),
  ],
  ['/settings', lazyPage(async () => (await import('./settings/models-page.tsx')).ModelsPage)],
  ['/settings/prices', lazyPage(async () => (await import('./usage/prices-page.tsx')).PricesPage)],
  ['/settings/access', lazyPage(async () => (await import('./tokens/access-page.tsx')).AccessPage)],
  [
    '/settings/notifications',
    lazyPage(async () => (await import('./webhooks/notifications-page.tsx')).NotificationsPage),
  ],
  ['/settings/audit', lazyPage(async () => (await import('./audit/audit-page.tsx')).AuditPage)],
  ['/settings/advanced', lazyPage(async () => (await import('./settings/advanced-page.tsx')).AdvancedPage)],
  // Where these pages were before.
  ['/settings/access-tokens', moved('/settings/access')],
  ['/settings/webhooks', moved('/settings/notifications')],
  ['/api-tokens', moved('/settings/access')],
  ['/devices-webhooks', moved('/settings/notifications')],
  ['/audit', moved('/settings/audit?of=devices')],
  ['/tasks', lazyPage(async () => (await import('./tasks/tasks-page.tsx')).TasksPage)],
  ['/tasks/new', lazyPage(async () => (await import('./tasks/new-task-page.tsx')).NewTaskPage)],
  ['/tasks/:id', lazyPage(async () => (await import('./tasks/task-page.tsx')).TaskPage)],
  ['/graphs', lazyPage(async () => (await import('./graphs/graphs-page.tsx')).GraphsPage)],
  ['/graphs/_new', lazyPage(async () => (await import('./graphs/new-graph-page.tsx')).NewGraphPage)],
  ['/graphs/:id', lazyPage(async () => (await import('./graphs/graph-page.tsx')).GraphPage)],
  ['/graphs/:id/edit', lazyPage(async () => (await import('./graphs/edit-graph-page.tsx')).EditGraphPage)],
  ['/logs', lazyPage(async () => (await import('./logs/logs-page.tsx')).LogsPage)],
  ['/devices', lazyPage(async () => (await import('./fleet/devices-page.tsx')).DevicesPage)],
  ['/devices/:id', lazyPage(async () => (await import('./fleet/device-page.tsx')).DevicePage)],
  ['/add', lazyPage(async () => (await import('./pairing/add-device-page.tsx')).AddDevicePage)],
  ['/pair', lazyPage(async () => (await import('./pairing/pair-page.tsx')).PairPage)],
  ['/tokens', lazyPage(async () => (await import('./pairing/tokens-page.tsx')).TokensPage)],
  ['/searches', lazyPage(async () => (await import('./searches/searches-page.tsx')).SearchesPage)],
  ['/searches/new', lazyPage(async () => (await import('./searches/new-search-page.tsx')).NewSearchPage)],
  ['/searches/groups/:id', lazyPage(async () => (await import('./searches/group-page.tsx')).GroupPage)],
  [
    '/searches/saved',
    lazyPage(async () => (await import('./searches/saved-searches-page.tsx')).SavedSearchesPage),
  ],
  [
    '/searches/saved/:id',
    lazyPage(async () => (await import('./searches/saved-search-page.tsx')).SavedSearchPage),
  ],
  ['/searches/:id', lazyPage(async () => (await import('./searches/search-page.tsx')).SearchPage)],
  ['/files', lazyPage(async () => (await import('./uploads/uploads-page.tsx')).UploadsPage)],
  ['/help', HelpPage],
  ['/help/*', HelpPage],
]
