import { focusManager, type Query, type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { I18nProvider, RouterProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { useLocation } from 'wouter'
import { useSignIn } from '../api/access-token.ts'
import { createQueryClient } from '../api/query-client.ts'
import { refresh } from '../api/refresh.ts'
import { startLiveEvents } from '../api/live.ts'
import { startProbe } from '../api/probe.ts'
import { pageLocale } from '../components/text/page-locale.ts'
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

/** What {@link startDashboard} takes. */
export interface DashboardOptions {
  /** The cheapest call of the server: made again and again while it does not answer. */
  readonly probe: () => Promise<unknown>
  /** Whether the server has a WebSocket of events. */
  readonly hasEvents: boolean
  readonly children: ReactNode
}

/** Renders an application into the page. */
export function startDashboard(options: DashboardOptions): void {
  applyTheme()
  const root = document.getElementById('root')
  if (root === null) throw new Error('Starting the dashboard failed: the page has no element "root".')
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={pageLocale}>
        <Dashboard {...options} />
      </I18nProvider>
    </StrictMode>,
  )
}

function Dashboard({ probe, hasEvents, children }: DashboardOptions) {
  const [queries] = useState(createQueryClient)
  const [, navigate] = useLocation()
  const { isNeeded } = useSignIn()

  useEffect(() => startProbe(probe), [probe])
  useEffect(
    () => (hasEvents && !isNeeded ? startLiveEvents(queries) : undefined),
    [queries, hasEvents, isNeeded],
  )
  // Nobody looks at the page meanwhile: what it reads again and again would be refused again and again.
  useEffect(() => focusManager.setFocused(isNeeded ? false : undefined), [isNeeded])

  return (
    <QueryClientProvider client={queries}>
      <RouterProvider navigate={navigate}>
        {children}
        {isNeeded && <SignIn onSignedIn={() => readAgain(queries)} />}
      </RouterProvider>
    </QueryClientProvider>
  )
}

/** What could not be read begins anew; what was read stays until it is read again, and the forms over it with it. */
function readAgain(queries: QueryClient): void {
  const wasRead = ({ state }: Query) => state.data !== undefined
  void refresh(queries, { predicate: wasRead })
  void queries.resetQueries({ predicate: (query) => !wasRead(query) })
}
