import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { LoadingState } from '../components/loading-state.tsx'

/** Pages are loaded when they are first opened: the first one waits for neither plots nor graphs. */
const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

const OverviewPage = page(async () => (await import('./overview/overview-page.tsx')).OverviewPage)
const ChatPage = page(async () => (await import('./chat/chat-page.tsx')).ChatPage)
const ConversationsPage = page(
  async () => (await import('./conversations/conversations-page.tsx')).ConversationsPage,
)
const ConversationPage = page(
  async () => (await import('./conversations/conversation-page.tsx')).ConversationPage,
)
const RunsPage = page(async () => (await import('./runs/runs-page.tsx')).RunsPage)
const RunPage = page(async () => (await import('./runs/run-page.tsx')).RunPage)
const MemoryPage = page(async () => (await import('./memory/memory-page.tsx')).MemoryPage)
const UsagePage = page(async () => (await import('./usage/usage-page.tsx')).UsagePage)
const AgentsPage = page(async () => (await import('./agents/agents-page.tsx')).AgentsPage)
const NewAgentPage = page(async () => (await import('./agents/new-agent-page.tsx')).NewAgentPage)
const AgentPage = page(async () => (await import('./agents/agent-page.tsx')).AgentPage)
const SchedulesPage = page(async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage)
const SkillsPage = page(async () => (await import('./skills/skills-page.tsx')).SkillsPage)
const SkillPage = page(async () => (await import('./skills/skill-page.tsx')).SkillPage)
const ChannelsPage = page(async () => (await import('./channels/channels-page.tsx')).ChannelsPage)
const ChannelPage = page(async () => (await import('./channels/channel-page.tsx')).ChannelPage)
const SettingsPage = page(async () => (await import('./settings/settings-page.tsx')).SettingsPage)
const TasksPage = page(async () => (await import('./tasks/tasks-page.tsx')).TasksPage)
const NewTaskPage = page(async () => (await import('./tasks/new-task-page.tsx')).NewTaskPage)
const TaskPage = page(async () => (await import('./tasks/task-page.tsx')).TaskPage)
const GraphsPage = page(async () => (await import('./graphs/graphs-page.tsx')).GraphsPage)
const NewGraphPage = page(async () => (await import('./graphs/new-graph-page.tsx')).NewGraphPage)
const GraphPage = page(async () => (await import('./graphs/graph-page.tsx')).GraphPage)
const EditGraphPage = page(async () => (await import('./graphs/edit-graph-page.tsx')).EditGraphPage)
const LogsPage = page(async () => (await import('./logs/logs-page.tsx')).LogsPage)

/** Path of the address → page. The first that fits is shown. What `:` names may hold is read by `useParams`. */
const routes: readonly (readonly [path: string, page: ComponentType])[] = [
  ['/', OverviewPage],
  // One route: two would be two pages, and the first message of a chat, whose address gets its agent then, would be lost.
  ['/chat/:agentId?', ChatPage],
  ['/conversations', ConversationsPage],
  ['/conversations/:id', ConversationPage],
  ['/runs', RunsPage],
  ['/runs/:id', RunPage],
  ['/memory', MemoryPage],
  ['/usage', UsagePage],
  ['/agents', AgentsPage],
  ['/agents/_new', NewAgentPage],
  ['/agents/:id', AgentPage],
  ['/schedules', SchedulesPage],
  ['/skills', SkillsPage],
  ['/skills/:id', SkillPage],
  ['/channels', ChannelsPage],
  ['/channels/:id', ChannelPage],
  ['/settings', SettingsPage],
  ['/tasks', TasksPage],
  ['/tasks/new', NewTaskPage],
  ['/tasks/:id', TaskPage],
  ['/graphs', GraphsPage],
  ['/graphs/_new', NewGraphPage],
  ['/graphs/:id', GraphPage],
  ['/graphs/:id/edit', EditGraphPage],
  ['/logs', LogsPage],
]

/** The pages of the agents' application, by the path of the address. */
export function AgentRoutes() {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        {routes.map(([path, Page]) => (
          <Route key={path} path={path} component={Page} />
        ))}
        <Route>
          <EmptyState
            title="There is no such page"
            action={<LinkButton href="/">To the overview</LinkButton>}
          />
        </Route>
      </Switch>
    </Suspense>
  )
}
