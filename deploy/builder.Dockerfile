# What builds of services from git run in (docs/reference/builds.md#where-a-build-runs): the publisher's own image has git,
# ssh and a rootless BuildKit; this one has Git LFS as well.
#   docker build -f deploy/builder.Dockerfile -t REGISTRY/builder deploy
# Then SVC_BUILDER_IMAGE=REGISTRY/builder is a setting of the worker.
ARG BUILDKIT_IMAGE=moby/buildkit:v0.33.0-rootless@sha256:80b15f0735e87bab7bf59ec4d695dfb4a7cfb25521cf56dc75d6f256285b63ef
FROM ${BUILDKIT_IMAGE}
USER root
RUN apk add --no-cache git git-lfs openssh-client
USER 1000:1000
