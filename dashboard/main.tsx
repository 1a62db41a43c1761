/** The dashboard: theme, session, then the page of the address. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './data/query-client.ts'
import { loadSession } from './data/session.ts'
import { router } from './router.tsx'
import { Gate } from './shell/gate.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
// Their addresses are relative to the page that was asked for, which is another one after the next link.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[href]')) link.setAttribute('href', link.href)
void loadSession()
const container = document.querySelector('#root')
if (container === null) throw new Error('index.html has no place for the dashboard')
createRoot(container).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
