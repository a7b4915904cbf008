import {
  focusManager,
  type Query,
  type QueryClient,
  QueryClientProvider,
  useQueryClient,
} from '@tanstack/react-query'
import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { I18nProvider, RouterProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { useLocation } from 'wouter'
import { cloudToken, platformToken } from '../api/access-token.ts'
import { createQueryClient } from '../api/query-client.ts'
import { refresh } from '../api/refresh.ts'
import { startProbe } from '../api/probe.ts'
import { probeServer, useServerFacts } from '../api/server-facts.ts'
import { pageLocale } from '../components/text/page-locale.ts'
import { halfOf, signInPath } from '../navigation/sections.ts'
import { SignIn } from './sign-in.tsx'
import { applyTheme } from './theme.ts'

declare module 'react-aria-components' {
  interface RouterConfig {
    routerOptions: {
      /** Goes into the entry of the history: what the page that is led to begins with. */
      readonly state?: object
    }
  }
}

/** Renders the application into the page. */
export function startDashboard(children: ReactNode): void {
  applyTheme()
  const root = document.getElementById('root')
  if (root === null) throw new Error('Starting the dashboard failed: the page has no element "root".')
  document.addEventListener('pointerover', nameCutText)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={pageLocale}>
        <Dashboard>{children}</Dashboard>
      </I18nProvider>
    </StrictMode>,
  )
}

/** Shows a text that ends in an ellipsis as a whole, as its title. */
function nameCutText({ target }: PointerEvent): void {
  if (!(target instanceof HTMLElement) || target.closest('[title]') !== null) return
  for (const each of [target, target.parentElement]) {
    if (each === null || each.scrollWidth <= each.clientWidth) continue
    if (getComputedStyle(each).textOverflow === 'ellipsis') each.title = each.innerText
  }
}

function Dashboard({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueryClient)
  const [path, navigate] = useLocation()
  const platform = platformToken.useSignIn()
  const cloud = cloudToken.useSignIn()
  const own = halfOf(path)
  // A page of both APIs asks for the token of one after the other.
  const half = own !== 'any' ? own : platform.isNeeded || !cloud.isNeeded ? 'agents' : 'devices'
  const isPage = path === signInPath
  const isNeeded = isPage || (half === 'agents' ? platform : cloud).isNeeded

  useEffect(() => startProbe(probeServer), [])
  // Nobody looks at the page meanwhile: what it reads again and again would be refused again and again.
  useEffect(() => focusManager.setFocused(isNeeded ? false : undefined), [isNeeded])

  return (
    <QueryClientProvider client={queries}>
      <RouterProvider navigate={navigate}>
        <LiveData isPlatformOpen={!platform.isNeeded} isCloudOpen={!cloud.isNeeded} />
        {!isPage && children}
        {isNeeded && <SignIn key={half} half={half} onSignedIn={() => readAgain(queries)} />}
      </RouterProvider>
    </QueryClientProvider>
  )
}

interface LiveDataProps {
  readonly isPlatformOpen: boolean
  readonly isCloudOpen: boolean
}

/** Follows what happens in both APIs, and has queries read again. */
function LiveData({ isPlatformOpen, isCloudOpen }: LiveDataProps) {
  const queries = useQueryClient()
  const [path] = useLocation()
  const { serves, isLimited } = useServerFacts() ?? {}
  // events of all users are for administrators
  const followsAgents = isPlatformOpen && serves?.agents === true && !isLimited
  // A browser opens six connections to one server, for all its tabs: pages without devices hold none for them.
  const showsDevices = path === '/' || halfOf(path) !== 'agents'
  const followsDevices = showsDevices && isCloudOpen && serves?.devices === true
  useEffect(() => (followsAgents ? follow(loadPlatformEvents, queries) : undefined), [queries, followsAgents])
  useEffect(() => (followsDevices ? follow(loadDeviceEvents, queries) : undefined), [queries, followsDevices])
  return null
}

type StartEvents = (queries: QueryClient) => () => void

// Loaded after the page: nothing that shows first needs them.
const loadPlatformEvents = async (): Promise<StartEvents> => (await import('../api/live.ts')).startLiveEvents
const loadDeviceEvents = async (): Promise<StartEvents> =>
  (await import('../api/device-events.ts')).startDeviceEvents

/** Loads what follows events, and starts it. @returns ends it */
function follow(load: () => Promise<StartEvents>, queries: QueryClient): () => void {
  let isOver = false
  let end: (() => void) | undefined
  void load().then((start) => {
    if (!isOver) end = start(queries)
  })
  return () => {
    isOver = true
    end?.()
  }
}

/** What could not be read begins anew; what was read stays until it is read again, and the forms over it with it. */
function readAgain(queries: QueryClient): void {
  const wasRead = ({ state }: Query) => state.data !== undefined
  void refresh(queries, { predicate: wasRead })
  void queries.resetQueries({ predicate: (query) => !wasRead(query) })
}
