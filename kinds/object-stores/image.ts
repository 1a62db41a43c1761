/** The image of the object server where an install names no other. */

/** The last one that its publisher released, by a digest for all processors. */
export const objectServerImage =
  'minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:14cea493d9a34af32f524e538b8346cf79f3321eff8e708c1e2960462bd8936e'
