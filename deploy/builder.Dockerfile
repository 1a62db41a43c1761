# What builds of services from git run in (docs/reference/builds.md#where-a-build-runs): the publisher's own image has git,
# ssh and a rootless BuildKit; this one has Git LFS as well.
#   docker build -f deploy/builder.Dockerfile -t REGISTRY/builder deploy
# Then SVC_BUILDER_IMAGE=REGISTRY/builder is a setting of the worker.
FROM moby/buildkit:v0.34.2-rootless
USER root
RUN apk add --no-cache git git-lfs openssh-client
USER 1000:1000
