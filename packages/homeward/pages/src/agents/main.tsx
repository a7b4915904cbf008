import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/forced-colors.css'
import {
  Activity,
  Blocks,
  Bot,
  Brain,
  CalendarClock,
  ChartColumn,
  House,
  ListTodo,
  MessageCircle,
  MessagesSquare,
  Radio,
  ScrollText,
  Settings,
  Workflow,
} from 'lucide-react'
import { platform } from '../api/platform.ts'
import { type NavigationGroup, Shell } from '../shell/shell.tsx'
import { startDashboard } from '../shell/start-dashboard.tsx'
import { AgentRoutes } from './routes.tsx'

const navigation: readonly NavigationGroup[] = [
  {
    items: [
      { href: '/', label: 'Overview', icon: House },
      { href: '/chat', label: 'Chat', icon: MessageCircle },
      { href: '/agents', label: 'Agents', icon: Bot },
    ],
  },
  {
    label: 'Work',
    items: [
      { href: '/conversations', label: 'Conversations', icon: MessagesSquare },
      { href: '/runs', label: 'Runs', icon: Activity },
      { href: '/tasks', label: 'Tasks', icon: ListTodo },
      { href: '/schedules', label: 'Schedules', icon: CalendarClock },
      { href: '/graphs', label: 'Graphs', icon: Workflow },
    ],
  },
  {
    label: 'Platform',
    items: [
      { href: '/skills', label: 'Skills', icon: Blocks },
      { href: '/memory', label: 'Memory', icon: Brain },
      { href: '/channels', label: 'Channels', icon: Radio },
      { href: '/usage', label: 'Usage', icon: ChartColumn },
      { href: '/logs', label: 'Logs', icon: ScrollText },
      { href: '/settings', label: 'Settings', icon: Settings },
    ],
  },
]

startDashboard({
  probe: () => platform.getHealth(),
  hasEvents: true,
  children: (
    <Shell title="Agents" navigation={navigation}>
      <AgentRoutes />
    </Shell>
  ),
})
