# The lab in a container, with everything built that runs without a network. For amd64 and arm64.
#
#   docker build -t redis-lock-lab .
#   docker run --rm -it --shm-size=512m redis-lock-lab              the tour
#   docker run -it --name lab --shm-size=512m redis-lock-lab bash   a shell, for all other commands
#   docker start -ai lab                                            again, with your exercises
#   docker exec -it lab bash                                        a second terminal
#   docker save redis-lock-lab | gzip > lab.tar.gz                  for machines without a network;
#   docker load < lab.tar.gz                                        there, on the same architecture
#
# `.ci/weekly image` carries out these steps in a bare Debian: so each step is one line, of a kind
# that is here already.
FROM debian:12
ENV LANG=C.UTF-8
RUN apt-get update
RUN apt-get install -y --no-install-recommends ca-certificates git less nano
COPY . /lab
WORKDIR /lab
RUN ./lab list
RUN ./lab test -N
RUN ./lab bench --list
CMD ["./lab"]
