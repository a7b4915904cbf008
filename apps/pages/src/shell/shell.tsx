import { CircleQuestionMark, Menu, X, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState, type RefObject } from 'react'
import { Link, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { useLocation } from 'wouter'
import { ErrorBoundary } from '../components/states/error-boundary.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { PageHeader, pageTitleId } from '../components/layout/page-header.tsx'
import { Toasts, showToast } from '../components/states/toasts.tsx'
import { FindButton, FindIconButton, FindShortcuts } from '../navigation/find-shortcuts.tsx'
import { Notices, WaitingBadge } from '../notices/lazy-notices.tsx'
import icon from './icon.svg'
import './shell.css'
import { useConnection } from '../api/connection.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useMutation } from '@tanstack/react-query'
import { signOut, useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { describeError } from '../components/states/error-state.tsx'
import { saveTheme, type Theme, useTheme } from './theme.ts'
import { findSection, isServedBy, isShown, type Section, sections } from '../navigation/sections.ts'

/** The frame of every page: navigation, connection, theme. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const close = () => setIsOpen(false)
    // By no change of the path: a link to the page that shows leads there, too.
    for (const type of ['pushState', 'popstate']) window.addEventListener(type, close)
    return () => {
      for (const type of ['pushState', 'popstate']) window.removeEventListener(type, close)
    }
  }, [])
  const content = useRef<HTMLElement>(null)
  usePageStart(path, content)
  return (
    <FindShortcuts>
      {(openFind) => (
        <div className="shell" {...(isOpen && { 'data-open': true })}>
          <a className="skip-link" href="#content">
            Skip to the content
          </a>
          <header className="shell-bar">
            <IconButton
              label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              icon={isOpen ? <X aria-hidden /> : <Menu aria-hidden />}
              aria-expanded={isOpen}
              onPress={() => setIsOpen(!isOpen)}
            />
            <Brand />
            <ConnectionNote />
            <FindIconButton onPress={openFind} />
          </header>
          <aside aria-label="Sidebar" className="shell-side">
            <Brand />
            <div className="shell-find">
              <FindButton onPress={openFind} />
            </div>
            <Navigation path={path} />
            <div className="shell-foot">
              <Link
                href="/help"
                className="navigation-item"
                {...(/^\/help(\/|$)/.test(path) && { 'aria-current': 'page' as const })}
              >
                <CircleQuestionMark aria-hidden />
                Help
              </Link>
              <Account />
              <div className="row" data-justify="between">
                <ConnectionNote />
                <ThemeSwitch />
              </div>
            </div>
          </aside>
          <main
            ref={content}
            id="content"
            className="shell-content"
            tabIndex={-1}
            aria-labelledby={pageTitleId}
          >
            <ErrorBoundary resetKey={path}>
              <OwnPages path={path}>{children}</OwnPages>
            </ErrorBoundary>
          </main>
          <Toasts />
          <Notices />
        </div>
      )}
    </FindShortcuts>
  )
}

/** Pages that only administrators use say so to other people; the API shows them nothing there. */
function OwnPages({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  const isLimited = useIsLimited()
  const found = findSection(path)
  // the first page leads on
  if (path === '/' || !found || isShown(found.section, found.page, isLimited)) return children
  return (
    <>
      <PageHeader title={found.page.label} />
      <EmptyState title="For administrators" action={<LinkButton href="/chat">Chat</LinkButton>}>
        You can chat with the agents that you may use, and see your own conversations, runs and usage.
      </EmptyState>
    </>
  )
}

function Brand() {
  return (
    <Link href="/" className="brand">
      <img src={icon} alt="" width={24} height={24} />
      <span>Homeward</span>
    </Link>
  )
}

/** Whether the server answers: always there to see, and said once when it changes. */
function ConnectionNote() {
  const connection = useConnection()
  const { label, tone } = {
    online: { label: 'Connected', tone: 'good' },
    connecting: { label: 'Connecting …', tone: 'warn' },
    offline: { label: 'Offline', tone: 'bad' },
  }[connection] as { label: string; tone: 'good' | 'warn' | 'bad' }
  return (
    <div role="status" aria-label="Connection">
      <StatusBadge status={connection} tone={tone}>
        {label}
      </StatusBadge>
    </div>
  )
}

/** The person who has signed in at the identity provider. */
function Account() {
  const user = useServerFacts()?.signIn?.user
  const { mutate, isPending } = useMutation({
    mutationFn: signOut,
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  if (!user) return null
  return (
    <div className="row shell-account" data-justify="between">
      <span className="foreign" title={user.name}>
        {user.name}
      </span>
      <IconButton
        label="Sign out"
        icon={<LogOut aria-hidden />}
        isDisabled={isPending}
        onPress={() => mutate()}
      />
    </div>
  )
}

const choices = [
  { theme: 'system', label: 'Theme of the system', Icon: Monitor },
  { theme: 'light', label: 'Light theme', Icon: Sun },
  { theme: 'dark', label: 'Dark theme', Icon: Moon },
] as const satisfies readonly { theme: Theme; label: string; Icon: unknown }[]

/** Chooses between light, dark, and what the system says. */
function ThemeSwitch() {
  const theme = useTheme()
  return (
    <ToggleButtonGroup
      aria-label="Theme"
      className="theme-switch"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[theme]}
      onSelectionChange={([chosen]) => {
        const known = choices.find((choice) => choice.theme === chosen)
        if (known) saveTheme(known.theme)
      }}
    >
      {choices.map(({ theme: id, label, Icon }) => (
        <ToggleButton key={id} id={id} aria-label={label} className="theme-choice">
          <Icon aria-hidden />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}

/** Sent by the browser for a way back or forward, and by the router for each other change of the address. */
const addressEvents = ['popstate', 'pushState', 'replaceState']

/**
 * A page that was gone to begins at its top; the browser itself keeps the place of one that was come back to. The focus goes
 * to the content, unless it is there: a field of the page may have taken it.
 */
function usePageStart(path: string, content: RefObject<HTMLElement | null>): void {
  const change = useRef('')
  useEffect(() => {
    const note = ({ type }: Event) => void (change.current = type)
    // Before the router hears of it, and shows the page.
    for (const type of addressEvents) window.addEventListener(type, note, true)
    return () => {
      for (const type of addressEvents) window.removeEventListener(type, note, true)
    }
  }, [])

  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    if (change.current !== 'popstate') window.scrollTo(0, 0)
    if (!hasFocus(content.current)) content.current?.focus({ preventScroll: true })
  }, [path, content])
}

/** What is left of the page before, until the next has loaded, is in the document and not in sight. */
function hasFocus(content: HTMLElement | null): boolean {
  const focused = document.activeElement
  return focused !== null && content?.contains(focused) === true && focused.checkVisibility()
}

/** The sections of the application. The one that is open shows its pages. */
function Navigation({ path }: { readonly path: string }) {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  const open = findSection(path)
  return (
    <nav aria-label="Pages" className="navigation">
      <ul>
        {sections.map((section) => {
          const pages = section.pages.filter(
            (page) => isServedBy(page.half ?? section.half, serves) && isShown(section, page, isLimited),
          )
          const [first] = pages
          if (!first) return null
          const isOpen = section === open?.section
          return (
            <li key={section.label}>
              <SectionLink section={section} href={first.href} isCurrent={isOpen && pages.length === 1} />
              {isOpen && pages.length > 1 && (
                <ul className="navigation-pages" aria-label={section.label}>
                  {pages.map(({ href, label }) => (
                    <li key={href}>
                      <Link href={href} className="navigation-item" {...current(href === open.page.href)}>
                        {label}
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

const current = (isCurrent: boolean) => (isCurrent ? { 'aria-current': 'page' as const } : {})

interface SectionLinkProps {
  readonly section: Section
  readonly href: string
  readonly isCurrent: boolean
}

function SectionLink({ section: { label, icon: Icon }, href, isCurrent }: SectionLinkProps) {
  const badgePlace = useIsLimited() ? '/runs' : '/'
  return (
    <Link href={href} className="navigation-item" {...current(isCurrent)}>
      <Icon aria-hidden />
      {label}
      {href === badgePlace && <WaitingBadge />}
    </Link>
  )
}
