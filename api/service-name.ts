/** What the service calls itself in answers. */

export const serviceName = 'svc'
