import './styles/tokens.css'
import './styles/base.css'
import './styles/forced-colors.css'
import { PageRoutes, lazyPage, type PageRoute } from './shell/page-routes.tsx'
import { Shell } from './shell/shell.tsx'
import { startDashboard } from './shell/start-dashboard.tsx'
import { agentRoutes } from './agents/routes.tsx'
import { deviceRoutes } from './devices/routes.tsx'

const HelpPage = lazyPage(async () => (await import('./help/help-page.tsx')).HelpPage)

/** All pages, by the path of the address. */
export const routes: readonly PageRoute[] = [
  ...agentRoutes,
  ...deviceRoutes,
  ['/help', HelpPage],
  ['/help/*', HelpPage],
]

startDashboard(
  <Shell>
    <PageRoutes routes={routes} />
  </Shell>,
)
