import './styles/tokens.css'
import './styles/base.css'
import './styles/forced-colors.css'
import { agentRoutes } from './agents/routes.tsx'
import { deviceRoutes } from './devices/routes.tsx'
import { lazyPage, PageRoutes } from './shell/page-routes.tsx'
import { Shell } from './shell/shell.tsx'
import { startDashboard } from './shell/start-dashboard.tsx'

const HelpPage = lazyPage(async () => (await import('./help/help-page.tsx')).HelpPage)

startDashboard(
  <Shell>
    <PageRoutes routes={[...agentRoutes, ...deviceRoutes, ['/help', HelpPage], ['/help/*', HelpPage]]} />
  </Shell>,
)
