import { CircleQuestionMark, Menu, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-aria-components'
import { useLocation } from 'wouter'
import { ErrorBoundary } from '../components/states/error-boundary.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { pageTitleId } from '../components/layout/page-header.tsx'
import { Toasts } from '../components/states/toasts.tsx'
import { FindButton, FindIconButton, FindShortcuts } from '../home/find/find-shortcuts.tsx'
import { Account } from './account.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices/lazy-notices.tsx'
import icon from './icon.svg'
import './shell.css'
import { ThemeSwitch } from './theme-switch.tsx'
import { usePageStart } from './use-page-start.ts'

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
            <ErrorBoundary resetKey={path}>{children}</ErrorBoundary>
          </main>
          <Toasts />
          <Notices />
        </div>
      )}
    </FindShortcuts>
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
