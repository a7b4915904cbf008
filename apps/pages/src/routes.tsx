import { agentRoutes } from './agents/routes.tsx'
import { deviceRoutes } from './devices/routes.tsx'
import { lazyPage, type PageRoute } from './shell/page-routes.tsx'

const HelpPage = lazyPage(async () => (await import('./help/help-page.tsx')).HelpPage)

/** All pages, by the path of the address. */
export const routes: readonly PageRoute[] = [
  ...agentRoutes,
  ...deviceRoutes,
  ['/help', HelpPage],
  ['/help/*', HelpPage],
]
