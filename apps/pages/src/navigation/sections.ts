import {
  Activity,
  Blocks,
  Bot,
  CalendarClock,
  House,
  type LucideIcon,
  MessageCircle,
  MonitorSmartphone,
  Settings,
} from 'lucide-react'

/** The API whose data a page shows. */
export type Half = 'devices' | 'agents'

/** Page that asks to sign in, whatever the server needs: a sign-in at the identity provider that fails ends here. */
export const signInPath = '/sign-in'

/** One page in the sidebar, below its section. */
interface SectionPage {
  readonly href: string
  readonly label: string
  /** `any`: of both APIs, as far as they are served. @default that of the section */
  readonly half?: Half | 'any'
  /** Whether people see it who use agents without administering them. @default for pages of devices only */
  readonly isForUsers?: true
}

/** One entry of the sidebar. Its pages show while one of them is open. */
export interface Section {
  readonly label: string
  readonly icon: LucideIcon
  readonly half: Half
  /** The first one is where the entry leads. */
  readonly pages: readonly [SectionPage, ...SectionPage[]]
}

/** The sidebar, from top to bottom. */
export const sections: readonly Section[] = [
  { label: 'Home', icon: House, half: 'agents', pages: [{ href: '/', label: 'Home' }] },
  {
    label: 'Chat',
    icon: MessageCircle,
    half: 'agents',
    pages: [
      { href: '/chat', label: 'New chat', isForUsers: true },
      { href: '/conversations', label: 'Conversations', isForUsers: true },
    ],
  },
  {
    label: 'Devices',
    icon: MonitorSmartphone,
    half: 'devices',
    pages: [
      { href: '/devices', label: 'All devices' },
      { href: '/searches', label: 'Searches' },
      { href: '/searches/saved', label: 'Saved searches' },
      { href: '/files', label: 'Files' },
      { href: '/add', label: 'Add a device' },
    ],
  },
  {
    label: 'Agents',
    icon: Bot,
    half: 'agents',
    pages: [
      { href: '/agents', label: 'All agents' },
      { href: '/memory', label: 'Memory' },
      { href: '/collections', label: 'Collections' },
    ],
  },
  {
    label: 'Activity',
    icon: Activity,
    half: 'agents',
    pages: [
      { href: '/runs', label: 'All runs', isForUsers: true },
      { href: '/waiting', label: 'Waiting', isForUsers: true },
      { href: '/tasks', label: 'Tasks' },
      { href: '/usage', label: 'Usage', isForUsers: true },
      { href: '/logs', label: 'Logs' },
    ],
  },
  {
    label: 'Automations',
    icon: CalendarClock,
    half: 'agents',
    pages: [
      { href: '/schedules', label: 'Schedules' },
      { href: '/graphs', label: 'Graphs' },
      { href: '/triggers', label: 'Triggers' },
    ],
  },
  {
    label: 'Skills and channels',
    icon: Blocks,
    half: 'agents',
    pages: [
      { href: '/skills', label: 'Skills' },
      { href: '/channels', label: 'Channels' },
      { href: '/mcp-servers', label: 'MCP servers' },
    ],
  },
  {
    label: 'Settings',
    icon: Settings,
    half: 'agents',
    pages: [
      { href: '/settings', label: 'Models' },
      { href: '/settings/prices', label: 'Prices' },
      { href: '/settings/access', label: 'Access', half: 'any' },
      { href: '/settings/notifications', label: 'Notifications', half: 'any' },
      { href: '/settings/audit', label: 'Audit', half: 'any' },
      { href: '/settings/limits', label: 'Limits', half: 'devices' },
      { href: '/settings/advanced', label: 'Advanced' },
    ],
  },
]

/** Whether a person sees a page of a section. */
export function isShown(
  { half: own }: Pick<Section, 'half'>,
  { half = own, isForUsers }: SectionPage,
  isLimited: boolean,
): boolean {
  return !isLimited || isForUsers === true || half !== 'agents'
}

/** Pages that no entry leads to, by the section that shows as open. */
const others: Readonly<Record<string, string>> = { '/pair': '/devices', '/tokens': '/devices' }

const isUnder = (href: string, path: string) =>
  href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)

/** Whether a page shows something, by the APIs that are served. */
export const isServedBy = (
  half: Half | 'any',
  serves: Readonly<Record<Half, boolean>> | undefined,
): boolean => (half === 'any' ? serves?.agents !== false || serves.devices : serves?.[half] !== false)

/** The section and the page that a path belongs to. */
export function findSection(
  path: string,
): { readonly section: Section; readonly page: SectionPage } | undefined {
  const known = others[path] ?? path.replace(/^\/what-ifs\//, '/agents/')
  const found = sections.flatMap((section) =>
    section.pages.filter(({ href }) => isUnder(href, known)).map((page) => ({ section, page })),
  )
  return found.toSorted((a, b) => b.page.href.length - a.page.href.length)[0]
}

/** The API that a page calls first: the one whose token it asks for. */
export function halfOf(path: string): Half | 'any' {
  const found = findSection(path)
  return found?.page.half ?? found?.section.half ?? 'agents'
}
